"""TrainJobs as typed objects."""

from typing import Any

import pytest

from components.k8s.invalid import InvalidRuntimeError
from components.runtimes.train_job import RuntimeRef, Trainer, TrainJob, TrainJobSpec


def manifest(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": "tj", "namespace": "ml"},
        "spec": {"runtimeRef": {"name": "torch"}, **spec},
    }


WHOLE = manifest(
    initializer={"dataset": {"storageUri": "hf://a", "secretRef": {"name": "s"}}, "model": {"env": []}},
    trainer={
        "image": "a:1",
        "command": ["a"],
        "args": ["b"],
        "env": [{"name": "A", "value": "1"}],
        "numNodes": 2,
        "numProcPerNode": "auto",
        "resourcesPerNode": {"limits": {"cpu": 1}, "claims": [{"name": "c"}]},
    },
    runtimePatches=[
        {
            "manager": "a.com/b",
            "time": "2026-01-01T00:00:00Z",
            "trainingRuntimeSpec": {
                "template": {
                    "metadata": {"labels": {"a": "1"}},
                    "spec": {
                        "replicatedJobs": [
                            {
                                "name": "node",
                                "template": {
                                    "spec": {
                                        "template": {
                                            "spec": {
                                                "nodeSelector": {"a": "1"},
                                                "containers": [{"name": "node", "securityContext": {"runAsUser": 1}}],
                                                "terminationGracePeriodSeconds": 5,
                                            }
                                        }
                                    }
                                },
                            }
                        ]
                    },
                }
            },
        }
    ],
    labels={"a": "1"},
    annotations={"b": "2"},
    podSpecOverrides=[{"targetJobs": [{"name": "node"}], "serviceAccountName": "s"}],
    suspend=True,
    activeDeadlineSeconds=60,
    managedBy="kueue.x-k8s.io/multikueue",
)


def test_fields_of_all_releases_go_in_and_come_out_again() -> None:
    assert TrainJob.from_manifest(WHOLE).to_manifest() == WHOLE


def test_what_a_cluster_adds_is_left_out() -> None:
    stored = {**WHOLE, "status": {"conditions": []}}
    stored["metadata"] = {**WHOLE["metadata"], "uid": "1", "resourceVersion": "2", "managedFields": []}
    assert TrainJob.from_manifest(stored).to_manifest() == WHOLE


def test_a_train_job_is_made_in_python_too() -> None:
    made = TrainJob.model_validate(
        {
            "metadata": {"name": "tj"},
            "spec": TrainJobSpec(runtime_ref=RuntimeRef(name="a"), trainer=Trainer(num_nodes=2)),
        }
    )
    assert made.to_manifest() == {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": "tj"},
        "spec": {"runtimeRef": {"name": "a"}, "trainer": {"numNodes": 2}},
    }


def test_all_errors_are_reported_at_once() -> None:
    wrong = manifest(trainer={"numNode": 2, "numProcPerNode": 1.5, "env": [{"name": "A"}, {"name": "A"}]})
    with pytest.raises(InvalidRuntimeError) as refused:
        TrainJob.from_manifest({**wrong, "kind": "PyTorchJob"})
    assert {violation.path for violation in refused.value.violations} == {
        "kind",
        "spec.trainer.numNode",
        "spec.trainer.numProcPerNode",
        "spec.trainer.env[1]",
    }
    assert str(refused.value).startswith("TrainJob tj is invalid:\n")


@pytest.mark.parametrize("given", [[], "a", None])
def test_what_is_not_a_mapping_is_refused(given: Any) -> None:
    with pytest.raises(InvalidRuntimeError) as refused:
        TrainJob.from_manifest(given)
    assert refused.value.violations[0].rule == "CTR-34"


@pytest.mark.parametrize("field", ["apiVersion", "kind"])
def test_version_and_kind_are_required(field: str) -> None:
    with pytest.raises(InvalidRuntimeError) as refused:
        TrainJob.from_manifest({key: value for key, value in manifest().items() if key != field})
    assert [violation.path for violation in refused.value.violations] == [field]


def test_a_manager_patches_once() -> None:
    with pytest.raises(InvalidRuntimeError) as refused:
        TrainJob.from_manifest(manifest(runtimePatches=[{"manager": "a.com/b"}, {"manager": "a.com/b"}]))
    assert [violation.path for violation in refused.value.violations] == ["spec.runtimePatches[1]"]


def test_field_that_is_planned_for_a_later_version_is_named() -> None:
    with pytest.raises(InvalidRuntimeError) as raised:
        TrainJob.from_manifest(manifest(scheduling={"gang": {}}))

    (found,) = raised.value.violations
    assert (found.rule, found.path) == ("CTR-36", "spec.scheduling")
    assert found.message == "scheduling is planned for Trainer 2.4 (KEP-3015); up to 2.3 it is rejected or dropped."


@pytest.mark.parametrize(
    ("field", "fix"),
    [
        ("podTemplateOverrides", "Write the changes in spec.runtimePatches, which replaced it in Trainer 2.2."),
        ("mlPolicy", "Remove it: it belongs to the runtime."),
        ("pytorchReplicaSpecs", "Remove it: the runtime has the jobs, and spec.trainer what they run."),
        ("nprocPerNode", "Write spec.trainer.numProcPerNode."),
        ("runPolicy", "Remove it. spec.activeDeadlineSeconds and spec.suspend are fields of TrainJobs."),
        ("numNodes", "Move it to spec.trainer.numNodes."),
    ],
)
def test_fix_for_a_field_of_another_api_is_for_train_jobs(field: str, fix: str) -> None:
    with pytest.raises(InvalidRuntimeError) as raised:
        TrainJob.from_manifest(manifest(**{field: {}}))

    assert [(found.rule, found.path, found.fix) for found in raised.value.violations] == [
        ("CTR-36", f"spec.{field}", fix)
    ]
