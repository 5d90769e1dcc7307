"""The objects of a chart: what the transform adds to each, so that it lives long."""

from collections.abc import Coroutine
from typing import Any

import pulumi
import pytest

from components.cluster.client import ClusterClient
from components.cluster.context import StackContext
from components.jobset import JobSet, JobSetOperatorSpec
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.operators.chart import has_secret_data, lifecycle_transform
from components.operators.chart_children import ChartChildren
from components.operators.spec import OperatorSpec

from ..monitor import applied, run
from .charts import CHART

CRD = "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition"
SECRET = "kubernetes:core/v1:Secret"  # noqa: S105 - a type token
SERVICE = "kubernetes:core/v1:Service"
CONFIGURATION = "kubernetes:admissionregistration.k8s.io/v1:MutatingWebhookConfiguration"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"
MARK = {"mark": "mine"}
PROPS = {"metadata": {"name": "x", "annotations": {"a": "b"}}, "data": {"tls.crt": ""}}
MARKED = {"metadata": {"name": "x", "annotations": {"a": "b", **MARK}}, "data": {"tls.crt": ""}}


def transformed(
    token: str,
    spec: OperatorSpec | None = None,
    opts: pulumi.ResourceOptions | None = None,
) -> pulumi.ResourceTransformResult:
    transform = lifecycle_transform(spec or JobSetOperatorSpec(), MARK, ChartChildren())
    return applied(transform, token, PROPS, opts)


def options(result: pulumi.ResourceTransformResult) -> dict[str, Any]:
    """The options that are set."""
    assert result.opts
    return {name: value for name, value in vars(result.opts).items() if value is not None}


def test_crds_are_kept_on_destroy() -> None:
    result = transformed(CRD, opts=pulumi.ResourceOptions(protect=True))
    assert result.props == MARKED
    assert options(result) == {"retain_on_delete": True, "protect": True}


@pytest.mark.parametrize("spec", [JobSetOperatorSpec(), JobSetOperatorSpec(destroy_crds=True)])
def test_engine_never_deletes_crds(spec: OperatorSpec) -> None:
    assert options(transformed(CRD, spec)) == {"retain_on_delete": True}


def test_crds_of_an_operator_have_its_version() -> None:
    for name, version in (("jobsets.jobset.x-k8s.io", "0.12.0"), ("leaderworkersets.leaderworkerset.x-k8s.io", None)):
        props: Any = applied(
            lifecycle_transform(JobSetOperatorSpec(), MARK, ChartChildren()), CRD, {"metadata": {"name": name}}
        ).props
        assert props["metadata"]["annotations"].get("training-platform/version") == version


def test_owner_of_each_object_is_checked_before_changes_except_for_retained_crds() -> None:
    stack_context = StackContext(ClusterClient("local"), "training-platform/dev", "mine")
    (chart,) = run(lambda: JobSet("jobset", {"spec": JobSetOperatorSpec(), "stack_context": stack_context})).of_type(
        CHART
    )
    (transform,) = chart.transforms
    bound = {}
    for token in (CRD, SERVICE, CONFIGURATION, DEPLOYMENT, CHART):
        opts = applied(transform, token, PROPS).opts
        hooks = opts.hooks if opts else None
        kinds = ("before_create", "before_update", "before_delete")
        bound[token] = [[hook.name for hook in getattr(hooks, kind)] for kind in kinds] if hooks else None
    own, rollout = ["jobset:own"], ["jobset:own", "jobset:rollout"]
    assert bound == {
        CRD: [own, own, []],
        DEPLOYMENT: [own, own, own],
        # What leads to the controller waits for the one that it leads to.
        SERVICE: [own, rollout, own],
        CONFIGURATION: [rollout, rollout, own],
        CHART: None,
    }


async def secret(data: Any) -> pulumi.ResourceTransformResult:
    """A Secret of a chart, whose data comes as an output."""
    props = {"metadata": PROPS["metadata"], "data": pulumi.Output.secret(data)}
    args = pulumi.ResourceTransformArgs(True, SECRET, "x", props, pulumi.ResourceOptions())
    done = lifecycle_transform(JobSetOperatorSpec(), MARK, ChartChildren())(args)
    assert isinstance(done, Coroutine)
    result = await done
    assert isinstance(result, pulumi.ResourceTransformResult)
    return result


def of_a_secret(data: Any) -> pulumi.ResourceTransformResult:
    seen: list[pulumi.ResourceTransformResult] = []
    result: Any = secret(data)
    run(lambda: pulumi.Output.from_input(result).apply(seen.append))
    (done,) = seen
    return done


def test_data_of_an_empty_secret_is_ignored() -> None:
    result = of_a_secret({"tls.crt": "", "tls.key": ""})
    assert result.props == {"metadata": MARKED["metadata"]}
    assert options(result) == {"ignore_changes": ["data"]}


def test_data_of_a_secret_with_content_is_kept() -> None:
    result = of_a_secret({"token": "x", "tls.key": ""})
    assert result.props.keys() == {"metadata", "data"}
    assert options(result) == {"ignore_changes": ["data"]}
    assert not has_secret_data(None)


def test_services_are_not_awaited() -> None:
    result = transformed(SERVICE)
    assert result.props == {
        "metadata": {"name": "x", "annotations": {"a": "b", **MARK, "pulumi.com/skipAwait": "true"}},
        "data": {"tls.crt": ""},
    }
    assert options(result) == {}


def test_deployment_gets_pod_fields_that_the_chart_has_no_values_for() -> None:
    result = transformed(DEPLOYMENT, KubeflowTrainerSpec(priority_class="mine"))
    assert result.props == {**MARKED, "spec": {"template": {"spec": {"priorityClassName": "mine"}}}}
    assert options(result) == {}


CONFIGURED: dict[type[OperatorSpec], tuple[dict[str, Any], ...]] = {
    JobSetOperatorSpec: ({"qps": 50}, {"burst": 60}, {"values": {"certManager": {"enable": True}}}),
    KubeflowTrainerSpec: ({"qps": 50}, {"featureGates": {"TrainJobStatus": True}}, {"metrics": {"bindAddress": "0"}}),
}


@pytest.mark.parametrize("spec", CONFIGURED)
def test_changed_configuration_restarts_the_controller(spec: type[OperatorSpec]) -> None:
    def pod(**settings: Any) -> Any:
        props: Any = transformed(DEPLOYMENT, spec.model_validate(settings)).props
        return props["spec"]["template"]

    plain, *others = pod(), *(pod(**settings) for settings in CONFIGURED[spec])
    assert plain == {"spec": {}}
    assert pod(podAnnotations={"a": "b"}) == plain
    assert [*others[0]["metadata"]["annotations"]] == ["training-platform/configuration"]
    assert len({str(each) for each in others}) == len(others)
    assert pod(**CONFIGURED[spec][0]) == others[0]


def test_every_object_of_a_chart_has_owner_and_patch_force_annotations() -> None:
    stack_context = StackContext(ClusterClient("local"), "training-platform/dev", "mine")
    (chart,) = run(lambda: JobSet("jobset", {"spec": JobSetOperatorSpec(), "stack_context": stack_context})).of_type(
        CHART
    )
    (transform,) = chart.transforms
    for token in (CRD, SERVICE, DEPLOYMENT, "kubernetes:core/v1:ConfigMap"):
        props: Any = applied(transform, token, PROPS).props
        annotations = props["metadata"]["annotations"]
        assert annotations["training-platform/stack"] == "training-platform/dev", token
        assert annotations["training-platform/stack-id"] == "mine", token
        assert annotations["pulumi.com/patchForce"] == "true", token


LABELS = {"team": "platform"}


@pytest.mark.parametrize("spec", [JobSetOperatorSpec, KubeflowTrainerSpec])
def test_common_labels_are_on_every_object_and_on_controller_pods(spec: type[OperatorSpec]) -> None:
    labelled = spec.model_validate({"commonLabels": LABELS})
    for token in (CRD, SERVICE, DEPLOYMENT):
        props: Any = transformed(token, labelled).props
        assert props["metadata"]["labels"] == LABELS
        assert (token == DEPLOYMENT) == ("spec" in props)
    deployment: Any = transformed(DEPLOYMENT, labelled).props
    assert deployment["spec"]["template"]["metadata"]["labels"] == LABELS
    # The chart itself is not an object of the cluster.
    chart: Any = applied(lifecycle_transform(labelled, MARK, ChartChildren()), CHART, {"name": "x"}).props
    assert "labels" not in chart["metadata"]
    assert "commonLabels" not in labelled.chart_values()


def test_common_labels_do_not_change_the_labels_of_the_chart() -> None:
    labels = {"app.kubernetes.io/name": "jobset"}
    props = {"metadata": {"labels": labels}, "spec": {"template": {"metadata": {"labels": labels}}}}
    spec = JobSetOperatorSpec(common_labels={"app.kubernetes.io/name": "mine", **LABELS})
    done: Any = applied(lifecycle_transform(spec, {}, ChartChildren()), DEPLOYMENT, props).props
    assert done["metadata"]["labels"] == {**labels, **LABELS}
    assert done["spec"]["template"]["metadata"]["labels"] == {**labels, **LABELS}


@pytest.mark.parametrize("interrupt", [True, False])
def test_permission_to_interrupt_train_jobs_is_recorded(interrupt: bool) -> None:
    stack_context = StackContext(ClusterClient("local"), "training-platform/dev", "mine")
    spec = JobSetOperatorSpec(interrupt_train_jobs=interrupt)
    run(lambda: JobSet("jobset", {"spec": spec, "stack_context": stack_context}))
    assert stack_context.run.interrupts is interrupt


def test_inputs_of_children_are_recorded_until_the_chart_is_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[ChartChildren] = []

    class Noted(ChartChildren):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

    monkeypatch.setattr("components.operators.chart.ChartChildren", Noted)
    run(lambda: JobSet("jobset", {"spec": JobSetOperatorSpec()}))
    assert [each.is_complete for each in made] == [True]
    children = ChartChildren()
    result = applied(lifecycle_transform(JobSetOperatorSpec(), MARK, children), SERVICE, PROPS)
    deleted = pulumi.ResourceHookArgs("urn", "id", "x", SERVICE, old_inputs=PROPS)
    assert children.successor(deleted) == result.props
    assert result.props["metadata"]["annotations"]["mark"] == "mine"
