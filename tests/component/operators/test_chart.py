"""JobSet and Kubeflow Trainer as resources: names, parents, order, inputs, options."""

import pytest

from components.cluster.client import ClusterClient
from components.cluster.context import StackContext
from components.jobset import JobSet, JobSetArgs, JobSetOperatorSpec
from components.kubeflow_trainer import KubeflowTrainer, KubeflowTrainerSpec

from ..monitor import STACK_URN, Monitor, run
from .charts import CHART, NAMESPACE

PREFIX = "urn:pulumi:test::training-platform::"


def jobset(spec: JobSetOperatorSpec) -> Monitor:
    return run(lambda: JobSet("jobset", {"spec": spec}))


def trainer(spec: KubeflowTrainerSpec) -> Monitor:
    return run(lambda: KubeflowTrainer("trainer", {"spec": spec}))


def test_operator_declares_a_namespace_and_a_chart() -> None:
    assert list(jobset(JobSetOperatorSpec()).registered) == [
        f"{PREFIX}training-platform:index:JobSet::jobset",
        f"{PREFIX}training-platform:index:JobSet${NAMESPACE}::jobset",
        f"{PREFIX}training-platform:index:JobSet${CHART}::jobset",
    ]
    assert list(trainer(KubeflowTrainerSpec()).registered) == [
        f"{PREFIX}training-platform:index:KubeflowTrainer::trainer",
        f"{PREFIX}training-platform:index:KubeflowTrainer${NAMESPACE}::trainer",
        f"{PREFIX}training-platform:index:KubeflowTrainer${CHART}::trainer",
    ]


def test_namespace_and_chart_are_children_and_the_chart_depends_on_the_namespace() -> None:
    component, namespace, chart = jobset(JobSetOperatorSpec()).registered.values()
    assert [component.parent, namespace.parent, chart.parent] == [STACK_URN, component.urn, component.urn]
    assert [component.dependencies, namespace.dependencies, chart.dependencies] == [set(), set(), {namespace.urn}]


def test_settings_reach_namespace_and_chart() -> None:
    spec = JobSetOperatorSpec(namespace="batch", chart=".local/charts/jobset", version="0.8.2", replicas=2)
    component, namespace, chart = (monitor := jobset(spec)).registered.values()
    assert namespace.inputs["metadata"]["name"] == "batch"
    assert chart.inputs == {
        "name": "jobset",
        "namespace": "batch",
        "chart": ".local/charts/jobset",
        "version": "0.8.2",
        "values": {"controller": {"replicas": 2}},
    }
    assert monitor.outputs[component.urn] == {"version": "0.8.2", "namespace": "batch"}


@pytest.mark.parametrize(
    ("spec", "origin", "stays"),
    [
        (JobSetOperatorSpec(), None, False),
        (JobSetOperatorSpec(adopt=True), None, True),
        (JobSetOperatorSpec(keep_namespace=True), None, True),
        (JobSetOperatorSpec(), "found", True),
        (JobSetOperatorSpec(adopt=True), "created", False),
    ],
)
def test_existing_namespace_is_retained(spec: JobSetOperatorSpec, origin: str | None, stays: bool) -> None:
    args: JobSetArgs = {"spec": spec}
    if origin:
        args["namespace_origin"] = origin
    _, namespace, _ = run(lambda: JobSet("jobset", args)).registered.values()
    assert namespace.retain_on_delete is stays
    assert (namespace.inputs["metadata"]["annotations"]["training-platform/namespace"] != "created") is stays


def test_operator_has_hooks_for_installation_and_upgrade() -> None:
    stack_context = StackContext(ClusterClient("local"), "training-platform/dev", "mine", "here")
    _, namespace, chart = run(
        lambda: JobSet("jobset", {"spec": JobSetOperatorSpec(), "stack_context": stack_context})
    ).registered.values()
    assert namespace.hooks == {
        "before_create": ["jobset:preflight"],
        "before_update": ["jobset:preflight"],
        "before_delete": ["jobset:check-destroy"],
    }
    assert namespace.inputs["metadata"]["annotations"] == {
        "training-platform/version": "0.12.0",
        "training-platform/operator": "jobset",
        "training-platform/namespace": "created",
        "training-platform/cluster": "here",
        "training-platform/stack": "training-platform/dev",
        "training-platform/stack-id": "mine",
        "pulumi.com/patchForce": "true",
    }
    assert chart.hooks == {}
