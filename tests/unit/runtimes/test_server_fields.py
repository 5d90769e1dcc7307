"""Reading back what a cluster stored, and adopting what was written for earlier versions."""

from typing import Any

import pytest

from components.runtimes import ClusterTrainingRuntime, InvalidRuntimeError, TrainingRuntime
from components.validation.violation import Severity, Violation, only_errors

TRAINER = {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}


def written() -> dict[str, Any]:
    """As somebody wrote it."""
    containers = [{"name": "node", "image": "registry/torch:1", "ports": [{"containerPort": 29500}]}]
    job = {
        "name": "node",
        "template": {"metadata": {"labels": TRAINER}, "spec": {"template": {"spec": {"containers": containers}}}},
    }
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": "torch", "labels": {"trainer.kubeflow.org/framework": "torch"}},
        "spec": {
            "mlPolicy": {"numNodes": 1, "torch": {}},
            "template": {"spec": {"replicatedJobs": [job]}},
        },
    }


def stored() -> dict[str, Any]:
    """As `kubectl get -o yaml` prints it."""
    manifest = written()
    manifest["metadata"] |= {
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}"},
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "deletionGracePeriodSeconds": 0,
        "deletionTimestamp": "2026-01-02T00:00:00Z",
        "finalizers": ["trainer.kubeflow.org/resource-in-use"],
        "generation": 2,
        "managedFields": [{"manager": "kubectl", "operation": "Apply", "fieldsV1": {"f:spec": {}}}],
        "resourceVersion": "4711",
        "selfLink": "/apis",
        "uid": "00000000-0000-0000-0000-000000000000",
    }
    manifest["status"] = {}
    return manifest


def test_fields_of_the_api_server_are_removed() -> None:
    assert ClusterTrainingRuntime.from_manifest(stored()).to_manifest() == written()


def test_other_annotations_and_finalizers_are_kept() -> None:
    manifest = stored()
    manifest["metadata"]["annotations"]["owner"] = "team"
    manifest["metadata"]["finalizers"].append("example.com/archive")
    kept = ClusterTrainingRuntime.from_manifest(manifest).metadata

    assert (kept.annotations, kept.finalizers) == ({"owner": "team"}, ("example.com/archive",))


def test_null_timestamp_is_removed() -> None:
    manifest = written()
    manifest["metadata"]["creationTimestamp"] = None

    assert ClusterTrainingRuntime.from_manifest(manifest).to_manifest() == written()


def test_given_manifest_is_not_modified() -> None:
    manifest = stored()
    ClusterTrainingRuntime.from_manifest(manifest)

    assert manifest == stored()


def test_defaults_of_the_api_server_are_read() -> None:
    manifest = stored()
    job = manifest["spec"]["template"]["spec"]["replicatedJobs"][0]
    job |= {"groupName": "default", "replicas": 1}
    job["template"]["spec"]["template"]["spec"]["containers"][0]["ports"][0]["protocol"] = "TCP"
    manifest["spec"]["podGroupPolicy"] = {"coscheduling": {"scheduleTimeoutSeconds": 60}}
    read = ClusterTrainingRuntime.from_manifest(manifest)

    assert read.to_manifest()["spec"] == manifest["spec"]


def test_key_without_a_value_is_dropped_as_by_the_server_with_a_warning() -> None:
    manifest = stored()
    manifest["metadata"]["labels"]["team"] = None
    job = manifest["spec"]["template"]["spec"]["replicatedJobs"][0]
    job["template"]["spec"]["template"]["spec"]["nodeSelector"] = {"gpu": None, "zone": "a"}
    read = ClusterTrainingRuntime.from_manifest(manifest)

    pod = "spec.template.spec.replicatedJobs[0].template.spec.template.spec"
    assert read.metadata.labels == {"trainer.kubeflow.org/framework": "torch", "team": ""}
    del job["template"]["spec"]["template"]["spec"]["nodeSelector"]["gpu"]
    assert read.to_manifest()["spec"] == manifest["spec"]
    assert [each for each in read.check() if each.rule == "CTR-34"] == [
        Violation(
            "CTR-34",
            f"{pod}.nodeSelector[gpu]",
            "gpu has no value: the API server silently drops it, so it is ignored.",
            'Remove gpu, or set it to "".',
            Severity.WARNING,
        )
    ]


def test_owners_are_kept_and_checked() -> None:
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "b"}
    manifest = written() | {"kind": "TrainingRuntime"}
    manifest["metadata"] = {"name": "torch", "namespace": "team", "ownerReferences": [owner]}
    assert TrainingRuntime.from_manifest(manifest).to_manifest()["metadata"]["ownerReferences"] == [owner]

    manifest["metadata"]["ownerReferences"] = [{"kind": "ConfigMap", "name": "a", "uid": "b", "blockOwner": True}]
    with pytest.raises(InvalidRuntimeError) as caught:
        TrainingRuntime.from_manifest(manifest)
    assert [(each.rule, each.path) for each in caught.value.violations[:2]] == [
        ("CTR-36", "metadata.ownerReferences[0].blockOwner"),
        ("CTR-35", "metadata.ownerReferences[0].apiVersion"),
    ]


REMOVED = "spec.mlPolicy.torch.numProcPerNode"


def old() -> dict[str, Any]:
    manifest = written()
    manifest["spec"]["mlPolicy"]["torch"] = {"numProcPerNode": "auto"}
    return manifest


def test_removed_field_is_rejected_with_reason_and_fix() -> None:
    with pytest.raises(InvalidRuntimeError) as caught:
        ClusterTrainingRuntime.from_manifest(old())

    assert [each for each in caught.value.violations if each.severity is Severity.ERROR] == [
        Violation(
            "CTR-36",
            REMOVED,
            "The API has no field numProcPerNode any more: Trainer 2.2 removed it. "
            "torchrun starts one process per GPU.",
            "Remove it. To change the number of processes, set the GPUs of container node (resources.limits), or "
            "trainer.numProcPerNode of the TrainJob.",
            Severity.ERROR,
        )
    ]


def test_adopt_drops_a_removed_field_with_a_warning() -> None:
    adopted = ClusterTrainingRuntime.from_manifest(old(), adopt=True)

    assert adopted.to_manifest() == written()
    assert [(each.rule, each.path, each.severity) for each in adopted.check() if each.path == REMOVED] == [
        ("CTR-36", REMOVED, Severity.WARNING)
    ]


def test_adopt_drops_a_whole_elastic_policy() -> None:
    manifest = written()
    manifest["spec"]["mlPolicy"]["torch"] = {"elasticPolicy": {"minNodes": 1, "maxNodes": 4}}

    assert ClusterTrainingRuntime.from_manifest(manifest, adopt=True).to_manifest() == written()


def stamped(value: str | None) -> dict[str, Any]:
    """As a program in Go prints it."""
    manifest = written()
    manifest["spec"]["template"]["metadata"] = {"labels": {"creationTimestamp": "never"}}
    manifest["spec"]["template"]["metadata"]["creationTimestamp"] = value
    manifest["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["metadata"]["creationTimestamp"] = value
    return manifest


@pytest.mark.parametrize("value", [None, "2026-01-01T00:00:00Z"])
def test_timestamps_of_templates_are_rejected_and_dropped_by_adopt(value: str | None) -> None:
    paths = [
        "spec.template.spec.replicatedJobs[0].template.metadata.creationTimestamp",
        "spec.template.metadata.creationTimestamp",
    ]

    with pytest.raises(InvalidRuntimeError) as caught:
        ClusterTrainingRuntime.from_manifest(stamped(value))
    adopted = ClusterTrainingRuntime.from_manifest(stamped(value), adopt=True)

    assert {(each.rule, each.path) for each in only_errors(caught.value.violations)} == {("CTR-36", p) for p in paths}
    assert adopted.to_manifest()["spec"]["template"]["metadata"] == {"labels": {"creationTimestamp": "never"}}
    assert [(each.path, each.severity) for each in adopted.check() if each.rule == "CTR-36"] == [
        (path, Severity.WARNING) for path in paths
    ]


def test_adopt_accepts_no_other_error() -> None:
    manifest = old()
    manifest["spec"]["numNodes"] = 2

    with pytest.raises(InvalidRuntimeError) as caught:
        ClusterTrainingRuntime.from_manifest(manifest, adopt=True)

    assert [(each.path, each.severity) for each in caught.value.violations if each.rule == "CTR-36"] == [
        (REMOVED, Severity.WARNING),
        ("spec.numNodes", Severity.ERROR),
    ]


@pytest.mark.parametrize("manifest", [None, [], "kind: ClusterTrainingRuntime"])
def test_manifest_that_is_not_a_mapping_is_rejected(manifest: Any) -> None:
    with pytest.raises(InvalidRuntimeError, match=r"is not a manifest\."):
        ClusterTrainingRuntime.from_manifest(manifest)


@pytest.mark.parametrize(
    "manifest", [{}, {"metadata": []}, {"metadata": {"labels": 1, "annotations": [], "finalizers": 1}}]
)
def test_manifest_of_any_shape_is_rejected_with_a_violation(manifest: dict[str, Any]) -> None:
    with pytest.raises(InvalidRuntimeError) as caught:
        ClusterTrainingRuntime.from_manifest(manifest)

    assert {"apiVersion", "kind", "spec"} <= {each.path for each in caught.value.violations}
