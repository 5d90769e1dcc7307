"""The runner of the operators' pods, without a cluster."""

import signal
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from kubernetes.client import (
    ApiException,
    V1Container,
    V1ObjectMeta,
    V1Pod,
    V1PodList,
    V1PodSpec,
    V1Service,
    V1ServicePort,
    V1ServiceSpec,
)

from tools.local_cluster import operator_runner, operators
from tools.local_cluster.operator_pod import OperatorPod


class Pods:
    """Pods of which one cannot be run."""

    ended = 0

    def __init__(self, _: Any) -> None:
        self.locate = None

    def sync(self) -> None:
        raise KeyError("volume")

    def end(self) -> None:
        Pods.ended += 1


@pytest.fixture(autouse=True)
def _signals() -> Iterator[None]:
    before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)}
    yield
    for each, handler in before.items():
        signal.signal(each, handler)


def test_operators_end_with_the_runner_whatever_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operator_runner, "OperatorPods", Pods)
    monkeypatch.setattr(operator_runner, "client_of", lambda _: None)
    monkeypatch.setattr("tools.local_cluster.operator_runner.WebhookProxy.start", lambda _: None)
    with pytest.raises(KeyError):
        operator_runner.serve(tmp_path / "socket", None, lambda: None)
    assert Pods.ended == 1


SERVICE = V1Service(
    metadata=V1ObjectMeta(namespace="batch"),
    spec=V1ServiceSpec(cluster_ip="10.0.0.9", selector={"app": "x"}, ports=[V1ServicePort(port=443, target_port=9443)]),
)


def replica(port: int, *, ready: bool = True, namespace: str = "batch", app: str = "x") -> Any:
    """A pod of an operator whose webhooks listen on a port of this machine."""
    pod = V1Pod(metadata=V1ObjectMeta(namespace=namespace, labels={"app": app}))
    return SimpleNamespace(pod=pod, is_ready=ready, port={9443: port}.get)


def test_a_service_leads_to_each_of_its_ready_replicas_and_to_no_other_pod() -> None:
    core = SimpleNamespace(list_service_for_all_namespaces=lambda: SimpleNamespace(items=[SERVICE]))
    pods = operator_runner.OperatorPods(core)
    others = [replica(3, ready=False), replica(4, namespace="other"), replica(5, app="y")]
    pods._pods.update({str(number): pod for number, pod in enumerate([replica(1), replica(2), *others])})
    assert {pods.locate(("10.0.0.9", 443)) for _ in range(100)} == {("127.0.0.1", 1), ("127.0.0.1", 2)}
    pods._pods["0"].is_ready = pods._pods["1"].is_ready = False
    assert pods.locate(("10.0.0.9", 443)) is None
    assert pods.locate(("10.0.0.9", 80)) is None
    assert pods.locate(("10.0.0.8", 443)) is None


class Core:
    """The pods of one operator, each in a namespace of its own."""

    def list_pod_for_all_namespaces(self, label_selector: str) -> V1PodList:
        assert label_selector == operator_runner.SELECTOR
        operator = operators.DEFAULT[0]
        spec = V1PodSpec(
            containers=[V1Container(name=operator.container, image=operator.image_reference)], node_name="system-0"
        )
        names = ("first", "second")
        return V1PodList(items=[V1Pod(metadata=V1ObjectMeta(namespace=each, uid=each), spec=spec) for each in names])


def test_pod_with_missing_files_does_not_delay_others(monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []

    def sync(pod: OperatorPod, _: Any) -> None:
        synced.append(pod.pod.metadata.namespace)
        if synced[-1] == "first":
            raise ApiException(404)

    monkeypatch.setattr("tools.local_cluster.operator_pod.OperatorPod.sync", sync)
    monkeypatch.setattr("tools.go_build.Program.path", Path("/bin/sh"))
    operator_runner.OperatorPods(Core()).sync()
    assert synced == ["first", "second"]
