"""JobSet and Kubeflow Trainer as resources: names, parents, order, inputs, options."""

from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pulumi
import pytest
import yaml
from pydantic import ValidationError

from components.cluster_access import ClusterAccess
from components.jobset import JobSet, JobSetSpec
from components.kubeflow_trainer import KubeflowTrainer, KubeflowTrainerSpec
from components.operator_chart import has_content, live_long
from components.operator_spec import OperatorSpec
from components.tenancy import Tenancy

from .monitor import STACK_URN, Monitor, applied, run

PREFIX = "urn:pulumi:test::training-platform::"
NAMESPACE, CHART = "kubernetes:core/v1:Namespace", "kubernetes:helm.sh/v4:Chart"


def jobset(spec: JobSetSpec) -> Monitor:
    return run(lambda: JobSet("jobset", {"spec": spec}))


def trainer(spec: KubeflowTrainerSpec) -> Monitor:
    return run(lambda: KubeflowTrainer("trainer", {"spec": spec}))


def test_an_operator_is_a_namespace_and_a_chart() -> None:
    assert list(jobset(JobSetSpec()).registered) == [
        f"{PREFIX}training-platform:index:JobSet::jobset",
        f"{PREFIX}training-platform:index:JobSet${NAMESPACE}::jobset",
        f"{PREFIX}training-platform:index:JobSet${CHART}::jobset",
    ]
    assert list(trainer(KubeflowTrainerSpec()).registered) == [
        f"{PREFIX}training-platform:index:KubeflowTrainer::trainer",
        f"{PREFIX}training-platform:index:KubeflowTrainer${NAMESPACE}::trainer",
        f"{PREFIX}training-platform:index:KubeflowTrainer${CHART}::trainer",
    ]


def test_namespace_and_chart_belong_to_the_operator_and_the_chart_waits_for_the_namespace() -> None:
    component, namespace, chart = jobset(JobSetSpec()).registered.values()
    assert [component.parent, namespace.parent, chart.parent] == [STACK_URN, component.urn, component.urn]
    assert [component.dependencies, namespace.dependencies, chart.dependencies] == [set(), set(), {namespace.urn}]


def test_jobset_comes_from_upstreams_registry_pinned() -> None:
    _, namespace, chart = jobset(JobSetSpec()).registered.values()
    assert namespace.inputs == {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {
            "name": "jobset-system",
            "annotations": {"training-platform/version": "0.12.0", "pulumi.com/patchForce": "true"},
        },
    }
    assert chart.inputs == {
        "name": "jobset",
        "namespace": "jobset-system",
        "chart": "oci://registry.k8s.io/jobset/charts/jobset",
        "version": "0.12.0",
        "values": {},
    }


def test_trainer_comes_from_upstreams_registry_pinned_without_its_own_jobset_and_runtimes() -> None:
    _, namespace, chart = trainer(KubeflowTrainerSpec()).registered.values()
    assert namespace.inputs["metadata"]["name"] == "kubeflow-system"
    assert chart.inputs == {
        "name": "kubeflow-trainer",
        "namespace": "kubeflow-system",
        "chart": "oci://ghcr.io/kubeflow/charts/kubeflow-trainer",
        "version": "2.3.0",
        "values": {"jobset": {"install": False}, "runtimes": {"defaultEnabled": False}},
    }


def test_what_people_set_reaches_namespace_and_chart() -> None:
    spec = JobSetSpec(namespace="batch", chart=".local/charts/jobset", version="0.8.2", replicas=2)
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


SHARED = {
    "replicas": 2,
    "resources": {"requests": {"cpu": "500m"}, "limits": {"memory": "1Gi"}},
    "nodeSelector": {"node-role": "system"},
    "tolerations": [{"key": "system", "operator": "Exists", "effect": "NoSchedule"}],
    "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone"}]}},
    "podAnnotations": {"a": "b"},
}
SIDECAR = {"traffic.sidecar.istio.io/excludeInboundPorts": "9443"}
LABELS = {"team": "platform"}


def test_jobsets_typed_values_stand_where_its_chart_has_them() -> None:
    spec = JobSetSpec.model_validate(
        {
            **SHARED,
            "imageRegistry": "mirror.example.com/k8s",
            "pullSecrets": ["registry"],
            "commonLabels": LABELS,
            "istio": True,
            "hostNetwork": True,
            "qps": 20.5,
            "burst": 40,
            "prometheus": {"prometheusNamespace": "metrics"},
            "values": {"controller": {"env": []}, "a": 1},
        }
    )
    assert spec.chart_values() == {
        "controller": {
            **SHARED,
            "podAnnotations": {"a": "b", **SIDECAR},
            "hostNetwork": True,
            "clientConnection": {"qps": 20.5, "burst": 40},
            "env": [],
        },
        "image": {"repository": "mirror.example.com/k8s/jobset/jobset", "pullSecrets": [{"name": "registry"}]},
        "commonLabels": LABELS,
        "prometheus": {"enable": True, "prometheusNamespace": "metrics"},
        "a": 1,
    }
    assert spec.pod_fields() == {}


def test_trainers_typed_values_stand_where_its_chart_has_them() -> None:
    spec = KubeflowTrainerSpec.model_validate(
        {
            **SHARED,
            "imageRegistry": "mirror.example.com",
            "pullSecrets": ["registry"],
            "commonLabels": LABELS,
            "qps": 20.5,
            "burst": 40,
            "metrics": {"bindAddress": ":9090", "secureServing": False},
            "featureGates": {"TrainJobStatus": False},
            "failurePolicy": "Ignore",
            "values": {"manager": {"config": {"controller": {"groupKindConcurrency": {"trainJob": 9}}}}},
        }
    )
    assert spec.chart_values() == {
        "manager": {
            **SHARED,
            "config": {
                "clientConnection": {"qps": 20.5, "burst": 40},
                "metrics": {"bindAddress": ":9090", "secureServing": False},
                "featureGates": {"TrainJobStatus": False},
                "controller": {"groupKindConcurrency": {"trainJob": 9}},
            },
        },
        "image": {"registry": "mirror.example.com", "pullSecrets": [{"name": "registry"}]},
        "commonLabels": LABELS,
        "webhook": {"failurePolicy": "Ignore"},
        "jobset": {"install": False},
        "runtimes": {"defaultEnabled": False},
    }
    assert spec.pod_fields() == {}


def test_what_no_chart_has_a_value_for_is_set_on_the_pod() -> None:
    assert JobSetSpec(priority_class="system-cluster-critical", host_network=True).pod_fields() == {
        "priorityClassName": "system-cluster-critical"
    }
    assert KubeflowTrainerSpec(priority_class="mine", host_network=True).pod_fields() == {
        "priorityClassName": "mine",
        "hostNetwork": True,
        "dnsPolicy": "ClusterFirstWithHostNet",
    }


@pytest.mark.parametrize(("spec", "folder"), [(JobSetSpec, "jobset-0.12.0"), (KubeflowTrainerSpec, "trainer-2.3.0")])
def test_upstreams_chart_has_every_key_that_is_set_or_refused(
    spec: type[OperatorSpec], folder: str, shared: Path
) -> None:
    values = yaml.safe_load((shared / "upstream" / folder / "chart-values.yaml").read_text())
    for key in (*spec.owned_values, *spec.keys.values()):
        inside = values
        for part in key.split("."):
            assert part in inside, key
            inside = inside[part]


@pytest.mark.parametrize(("spec", "folder"), [(JobSetSpec, "jobset-0.12.0"), (KubeflowTrainerSpec, "trainer-2.3.0")])
def test_what_upstreams_chart_has_no_value_for_is_what_is_set_on_the_pod(
    spec: type[OperatorSpec], folder: str, shared: Path
) -> None:
    values = yaml.safe_load((shared / "upstream" / folder / "chart-values.yaml").read_text())
    pod = values[spec.keys["replicas"].partition(".")[0]]
    assert "priorityClassName" not in pod
    assert ("hostNetwork" in pod) == ("host_network" in spec.keys)


RUNTIMES = "the chart installs runtimes with a Job that Pulumi does not run; deploy them as `TrainingRuntimes`"


def test_values_that_are_decided_elsewhere_are_refused_all_at_once() -> None:
    values = {
        "jobset": {"install": True},
        "runtimes": {"defaultEnabled": True},
        "dataCache": {"enabled": True, "runtimes": {"torchDistributedWithCache": {"enabled": True}}},
        "crds": {"enabled": False},
        "manager": {"replicas": 2, "resources": {}, "nodeSelector": {}, "tolerations": [], "env": []},
        "image": {"registry": "a", "tag": "b"},
    }
    with pytest.raises(ValidationError) as refused:
        KubeflowTrainerSpec.model_validate({"values": values})
    reasons = {
        ("values", "jobset"): "JobSet is installed once, as an operator of its own, never by Trainer's chart",
        ("values", "crds", "enabled"): (
            "the CRDs come with the chart and stay when it goes; without them no runtime can be made"
        ),
        ("values", "runtimes"): RUNTIMES,
        ("values", "dataCache", "runtimes"): RUNTIMES,
        ("values", "manager", "replicas"): "`replicas` beside `values` decides this",
        ("values", "manager", "resources"): "`resources` beside `values` decides this",
        ("values", "manager", "nodeSelector"): "`nodeSelector` beside `values` decides this",
        ("values", "manager", "tolerations"): "`tolerations` beside `values` decides this",
        ("values", "image", "registry"): "`imageRegistry` beside `values` decides this",
    }
    assert {details["loc"]: details["ctx"] for details in refused.value.errors()} == {
        location: {
            "rule": "OPR-01",
            "message": f"this value of the chart is not yours to set: {reason}.",
            "fix": "Take it out.",
        }
        for location, reason in reasons.items()
    }


@pytest.mark.parametrize("value", [None, {}, False])
@pytest.mark.parametrize(
    "key", [("crds", "enabled"), ("jobset",), ("manager", "tolerations"), ("image", "registry")], ids=".".join
)
def test_a_value_that_is_decided_elsewhere_is_refused_whatever_it_is(key: tuple[str, ...], value: object) -> None:
    values = {key[0]: {key[1]: value}} if key[1:] else {key[0]: value}
    with pytest.raises(ValidationError) as refused:
        KubeflowTrainerSpec.model_validate({"values": values})
    assert [details["loc"] for details in refused.value.errors()] == [("values", *key)]


CRD = "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition"
SECRET = "kubernetes:core/v1:Secret"  # noqa: S105 - a type token
SERVICE = "kubernetes:core/v1:Service"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"
MARK = {"mark": "mine"}
PROPS = {"metadata": {"name": "x", "annotations": {"a": "b"}}, "data": {"tls.crt": ""}}
MARKED = {"metadata": {"name": "x", "annotations": {"a": "b", **MARK}}, "data": {"tls.crt": ""}}


def transformed(
    token: str,
    spec: OperatorSpec | None = None,
    opts: pulumi.ResourceOptions | None = None,
) -> pulumi.ResourceTransformResult:
    transform = live_long(spec or JobSetSpec(), MARK)
    return applied(transform, token, PROPS, opts)


def options(result: pulumi.ResourceTransformResult) -> dict[str, Any]:
    """The options that are set."""
    assert result.opts
    return {name: value for name, value in vars(result.opts).items() if value is not None}


def test_crds_are_kept_on_destroy() -> None:
    result = transformed(CRD, opts=pulumi.ResourceOptions(protect=True))
    assert result.props == MARKED
    assert options(result) == {"retain_on_delete": True, "protect": True}


def test_crds_go_with_a_destroy_only_when_the_settings_say_so() -> None:
    assert options(transformed(CRD, JobSetSpec(destroy_crds=True))) == {"retain_on_delete": False}


async def secret(data: Any) -> pulumi.ResourceTransformResult:
    """A Secret of a chart, whose data comes as an output."""
    props = {"metadata": PROPS["metadata"], "data": pulumi.Output.secret(data)}
    args = pulumi.ResourceTransformArgs(True, SECRET, "x", props, pulumi.ResourceOptions())
    done = live_long(JobSetSpec(), MARK)(args)
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


def test_a_secrets_data_is_left_to_the_controller() -> None:
    result = of_a_secret({"tls.crt": "", "tls.key": ""})
    assert result.props == {"metadata": MARKED["metadata"]}
    assert options(result) == {"ignore_changes": ["data"]}


def test_a_secret_that_the_chart_fills_keeps_what_it_has() -> None:
    result = of_a_secret({"token": "x", "tls.key": ""})
    assert result.props.keys() == {"metadata", "data"}
    assert options(result) == {"ignore_changes": ["data"]}
    assert not has_content(None)


def test_a_service_is_not_waited_for() -> None:
    result = transformed(SERVICE)
    assert result.props == {
        "metadata": {"name": "x", "annotations": {"a": "b", **MARK, "pulumi.com/skipAwait": "true"}},
        "data": {"tls.crt": ""},
    }
    assert options(result) == {}


def test_a_deployment_gets_what_is_typed_of_its_pod_and_the_chart_cannot_say() -> None:
    result = transformed(DEPLOYMENT, KubeflowTrainerSpec(priority_class="mine"))
    assert result.props == {**MARKED, "spec": {"template": {"spec": {"priorityClassName": "mine"}}}}
    assert options(result) == {}


def test_everything_of_a_chart_says_whose_it_is_and_is_set_whoever_set_it_before() -> None:
    tenancy = Tenancy(ClusterAccess("local"), "training-platform/dev")
    (chart,) = run(lambda: JobSet("jobset", {"spec": JobSetSpec(), "tenancy": tenancy})).of_type(CHART)
    (transform,) = chart.transforms
    for token in (CRD, SERVICE, DEPLOYMENT, "kubernetes:core/v1:ConfigMap"):
        props: Any = applied(transform, token, PROPS).props
        annotations = props["metadata"]["annotations"]
        assert annotations["training-platform/stack"] == "training-platform/dev", token
        assert annotations["pulumi.com/patchForce"] == "true", token


def test_the_namespace_of_an_adopted_operator_stays() -> None:
    _, namespace, _ = jobset(JobSetSpec(adopt=True)).registered.values()
    assert namespace.retain_on_delete
    _, namespace, _ = jobset(JobSetSpec()).registered.values()
    assert not namespace.retain_on_delete


def test_before_an_operator_comes_changes_or_goes_its_cluster_is_asked() -> None:
    tenancy = Tenancy(ClusterAccess("local"), "training-platform/dev")
    _, namespace, chart = run(lambda: JobSet("jobset", {"spec": JobSetSpec(), "tenancy": tenancy})).registered.values()
    assert namespace.hooks == {
        "before_create": ["jobset:enter"],
        "before_update": ["jobset:enter"],
    }
    assert namespace.inputs["metadata"]["annotations"] == {
        "training-platform/version": "0.12.0",
        "training-platform/stack": "training-platform/dev",
        "pulumi.com/patchForce": "true",
    }
    assert chart.hooks == {}
