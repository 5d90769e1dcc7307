"""What leads to a controller changes after the new controller is there."""

from collections.abc import Callable, Mapping
from typing import Any

import pulumi
import pytest

from components.cluster.client import Response
from components.cluster.context import StackContext
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.operators import rollout_order
from components.operators.rollout_order import (
    create_with_ca_bundle,
    is_rolled_out,
    needs,
    rollout_hook,
    wait_for_controller,
)

from ..fake_cluster import Cluster, thing
from ..fake_hooks import Hook, run_hook

SPEC = KubeflowTrainerSpec(version="2.2.0")
DEPLOYMENT = "/apis/apps/v1/namespaces/kubeflow-system/deployments/manager"
VALIDATING = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/validator"
MUTATING = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
SERVICE = {"name": "manager", "namespace": "kubeflow-system"}
DONE = {"observedGeneration": 2, "replicas": 2, "updatedReplicas": 2, "availableReplicas": 2}


def deployment(tag: str, status: Mapping[str, Any] = DONE, image: str = SPEC.facts.image_path) -> dict[str, Any]:
    container = {"name": "manager", "image": f"mirror.example.com/{image}:{tag}"}
    spec = {"replicas": 2, "template": {"spec": {"containers": [container]}}}
    there = thing("manager", "kubeflow-system", spec=spec, status=status)
    return {**there, "metadata": {**there["metadata"], "generation": 2}}


def configuration(name: str = "defaulter", **client: Any) -> dict[str, Any]:
    webhook = {"name": f"{name}.trainjob.trainer.kubeflow.org", "clientConfig": {"service": SERVICE, **client}}
    return {"kind": "MutatingWebhookConfiguration", "metadata": {"name": name}, "webhooks": [webhook]}


def service(port: int | str) -> dict[str, Any]:
    return {"kind": "Service", "metadata": {"name": "manager"}, "spec": {"ports": [{"port": 443, "targetPort": port}]}}


class Time:
    """A clock that goes on when someone sleeps; `then` happens at its times."""

    def __init__(self, then: Mapping[float, Callable[[], None]] | None = None) -> None:
        self.now, self._then = 0.0, dict(then or {})

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        for at in [at for at in self._then if at <= self.now]:
            self._then.pop(at)()


def test_controller_must_serve_the_webhooks_and_named_ports_of_an_object() -> None:
    assert needs(configuration()) == {"defaulter.trainjob.trainer.kubeflow.org"}
    assert needs(service("webhook")) == {"webhook"}
    assert needs(service(9443)) == needs({}) == frozenset()


@pytest.mark.parametrize(
    ("change", "rolled_out"),
    [
        ({}, True),
        ({"replicas": 3}, False),
        ({"updatedReplicas": 1}, False),
        ({"availableReplicas": 1}, False),
        ({"observedGeneration": 1}, False),
    ],
    ids=str,
)
def test_a_deployment_is_rolled_out_when_all_of_its_pods_are_new_and_available(
    change: dict[str, int], rolled_out: bool
) -> None:
    assert is_rolled_out(deployment("v2.2.0", {**DONE, **change})) is rolled_out
    assert not is_rolled_out({**deployment("v2.2.0"), "status": None})


def test_rollout_is_awaited_until_the_new_controller_replaces_the_old_one() -> None:
    cluster = Cluster({DEPLOYMENT: deployment("v2.0.0")})
    changing = deployment("v2.2.0", {**DONE, "updatedReplicas": 1})
    time = Time(
        {
            10: lambda: cluster.objects.update({DEPLOYMENT: changing}),
            20: lambda: cluster.objects.update({DEPLOYMENT: deployment("v2.2.0")}),
        }
    )
    assert wait_for_controller(cluster, SPEC, time, time.sleep)
    assert time.now == 20


@pytest.mark.parametrize(
    ("there", "seconds"),
    [
        ([deployment("v2.0.0")], rollout_order.START_TIMEOUT),
        ([deployment("v2.2.0", {**DONE, "availableReplicas": 0})], rollout_order.ROLLOUT_TIMEOUT),
        ([], 0),
        ([deployment("v2.0.0", image="other/controller")], 0),
    ],
    ids=["not-begun", "not-ready", "none", "of-another"],
)
def test_rollout_is_not_awaited_after_the_timeout_or_without_a_controller(
    there: list[dict[str, Any]], seconds: float
) -> None:
    time = Time()
    cluster = Cluster(dict.fromkeys([DEPLOYMENT], *there) if there else {})
    assert wait_for_controller(cluster, SPEC, time, time.sleep) is (seconds == 0)
    assert time.now == seconds


def test_an_api_server_that_does_not_answer_is_asked_again() -> None:
    cluster = Cluster({DEPLOYMENT: deployment("v2.2.0")})
    cluster.down = True
    time = Time({5: lambda: setattr(cluster, "down", False)})
    assert wait_for_controller(cluster, SPEC, time, time.sleep)
    assert time.now == 5


def created(cluster: Cluster, inputs: Mapping[str, Any]) -> list[Any]:
    bodies: list[Any] = []

    def answer(path: str, body: Any) -> Response:
        assert path == MUTATING
        bodies.append(body)
        return Response(201, body)

    cluster.answer = answer
    create_with_ca_bundle(cluster, inputs)
    return bodies


def test_a_new_configuration_is_created_with_the_ca_bundle_of_another_one_for_its_service() -> None:
    other = {"clientConfig": {"service": {**SERVICE, "name": "other"}, "caBundle": "other"}, "name": "a.b.c"}
    there = configuration("validator", caBundle="Y2E=")
    objects = {
        VALIDATING: thing("validator", webhooks=there["webhooks"]),
        f"{MUTATING}/a": thing("a", webhooks=[other]),
    }
    assert created(Cluster(objects), {**configuration(), "__fieldManager": "x"}) == [configuration(caBundle="Y2E=")]
    assert created(Cluster(objects), configuration(caBundle="own")) == [configuration(caBundle="own")]
    assert created(Cluster({f"{MUTATING}/a": thing("a", webhooks=[other])}), configuration()) == []
    down = Cluster(objects)
    down.down = True
    assert created(down, configuration()) == []


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the hook did."""
    done: list[str] = []
    monkeypatch.setattr(pulumi, "ResourceHook", Hook)
    monkeypatch.setattr(rollout_order, "wait_for_controller", lambda *_: done.append("waited"))
    monkeypatch.setattr(rollout_order, "create_with_ca_bundle", lambda *_: done.append("created"))
    monkeypatch.setattr("pulumi.log.warn", done.append)
    return done


def run(stack_context: StackContext, old: Any, new: Any) -> None:
    run_hook(
        rollout_hook("trainer", SPEC, stack_context),
        pulumi.ResourceHookArgs("urn", "id", "name", "type", old_inputs=old, new_inputs=new),
    )


WARNING = (
    "{} changes before the controller of Trainer 2.2.0 is ready: objects that users create may be rejected until then."
)


@pytest.mark.parametrize(
    ("old", "new", "done"),
    [
        (None, configuration(), ["waited", WARNING.format("MutatingWebhookConfiguration defaulter"), "created"]),
        (configuration(), configuration(), []),
        (service(9443), service("webhook"), ["waited", WARNING.format("Service manager")]),
        (service("webhook"), service("webhook"), []),
        (service("webhook"), service(9443), []),
    ],
    ids=["new", "same", "named-port", "same-port", "numbered-port"],
)
def test_only_objects_with_new_needs_wait_for_the_rollout(
    waited: list[str], old: Any, new: Any, done: list[str]
) -> None:
    run(StackContext(Cluster(), "training-platform/dev"), old, new)
    assert waited == done


def test_nothing_waits_for_an_operator_of_the_same_run_or_without_a_cluster(waited: list[str]) -> None:
    fresh = StackContext(Cluster(), "training-platform/dev")
    fresh.run.created.add("namespace:trainer")
    run(fresh, None, configuration())
    run(StackContext(Cluster(), "training-platform/dev", is_reached=False), None, configuration())
    assert waited == []
