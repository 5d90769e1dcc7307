"""The runner of the operators' pods, without a cluster."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kubernetes.client import ApiException, V1Container, V1ObjectMeta, V1Pod, V1PodList, V1PodSpec

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
