"""Values of the operators' charts: what people set, where it stands, what is refused."""

from typing import Any

import pytest
from pydantic import ValidationError

from components.jobset import JobSetOperatorSpec
from components.kubeflow_trainer import KubeflowTrainerSpec
from tests.upstream import JOBSET_NOW, TRAINER_NOW, Release

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


def test_typed_settings_of_jobset_have_the_paths_of_its_chart() -> None:
    spec = JobSetOperatorSpec.model_validate(
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
        "prometheus": {"enable": True, "prometheusNamespace": "metrics"},
        "a": 1,
    }
    assert spec.pod_fields() == {}


def test_typed_settings_of_trainer_have_the_paths_of_its_chart() -> None:
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
        "webhook": {"failurePolicy": "Ignore"},
        "jobset": {"install": False},
        "runtimes": {"defaultEnabled": False},
    }
    assert spec.pod_fields() == {}


def test_settings_without_a_chart_value_are_set_on_the_pod() -> None:
    assert JobSetOperatorSpec(priority_class="system-cluster-critical", host_network=True).pod_fields() == {
        "priorityClassName": "system-cluster-critical"
    }
    assert KubeflowTrainerSpec(priority_class="mine", host_network=True).pod_fields() == {
        "priorityClassName": "mine",
        "hostNetwork": True,
        "dnsPolicy": "ClusterFirstWithHostNet",
    }


@pytest.mark.parametrize("release", [JOBSET_NOW, TRAINER_NOW], ids=str)
def test_upstream_chart_has_every_typed_and_reserved_key(release: Release) -> None:
    spec, values = release.spec, release.values
    for key in (*spec.facts.reserved_values, *spec.facts.value_paths.values()):
        inside: Any = values
        for part in key.split("."):
            assert part in inside, key
            inside = inside[part]


@pytest.mark.parametrize("release", [JOBSET_NOW, TRAINER_NOW], ids=str)
def test_upstream_chart_has_no_values_for_settings_of_the_pod(release: Release) -> None:
    spec, values = release.spec, release.values
    pod = values[spec.facts.value_paths["replicas"].partition(".")[0]]
    assert "priorityClassName" not in pod
    assert ("hostNetwork" in pod) == ("host_network" in spec.facts.value_paths)


RUNTIMES = "the chart installs runtimes with a hook Job, which Pulumi does not run; deploy them as `TrainingRuntimes`"


def test_reserved_values_are_all_rejected_at_once() -> None:
    values = {
        "jobset": {"install": True},
        "runtimes": {"defaultEnabled": True},
        "dataCache": {"enabled": True, "runtimes": {"torchDistributedWithCache": {"enabled": True}}},
        "crds": {"enabled": False},
        "commonLabels": {"team": "platform"},
        "manager": {"replicas": 2, "resources": {}, "nodeSelector": {}, "tolerations": [], "env": []},
        "image": {"registry": "a", "tag": "b"},
    }
    with pytest.raises(ValidationError) as refused:
        KubeflowTrainerSpec.model_validate({"values": values})
    reasons = {
        ("values", "jobset"): "JobSet is installed as an operator of its own, not by Trainer's chart",
        ("values", "crds", "enabled"): ("the CRDs must be installed with the chart; runtimes need them"),
        ("values", "runtimes"): RUNTIMES,
        ("values", "dataCache", "runtimes"): RUNTIMES,
        ("values", "commonLabels"): "`commonLabels` beside `values` sets it",
        ("values", "manager", "replicas"): "`replicas` beside `values` sets it",
        ("values", "manager", "resources"): "`resources` beside `values` sets it",
        ("values", "manager", "nodeSelector"): "`nodeSelector` beside `values` sets it",
        ("values", "manager", "tolerations"): "`tolerations` beside `values` sets it",
        ("values", "image", "registry"): "`imageRegistry` beside `values` sets it",
    }
    assert {details["loc"]: details["ctx"] for details in refused.value.errors()} == {
        location: {
            "rule": "OPR-01",
            "message": f"This value of the chart cannot be set here: {reason}.",
            "fix": "Remove it.",
        }
        for location, reason in reasons.items()
    }


@pytest.mark.parametrize("value", [None, {}, False])
@pytest.mark.parametrize(
    "key", [("crds", "enabled"), ("jobset",), ("manager", "tolerations"), ("image", "registry")], ids=".".join
)
def test_reserved_value_is_rejected_even_if_it_is_null(key: tuple[str, ...], value: object) -> None:
    values = {key[0]: {key[1]: value}} if key[1:] else {key[0]: value}
    with pytest.raises(ValidationError) as refused:
        KubeflowTrainerSpec.model_validate({"values": values})
    assert [details["loc"] for details in refused.value.errors()] == [("values", *key)]
