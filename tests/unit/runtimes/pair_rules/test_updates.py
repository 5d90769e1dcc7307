"""Updates of TrainJobs that are rejected, and similar ones that are not."""

from typing import Any

import pytest

from components.runtimes.explain import ExplainError
from components.runtimes.pair_rules import train_job_update_violations

from ..explain.pairs import train_job
from .samples import patches, pod_patch

SUSPENDED = {"suspend": True}
POD = "spec.runtimePatches[0].trainingRuntimeSpec.template.spec.replicatedJobs[0].template.spec.template.spec"


def found(before: dict[str, Any], after: dict[str, Any], version: str = "2.3.0") -> list[tuple[str, str]]:
    violations = train_job_update_violations(train_job(**before), train_job(**after), trainer=version)
    assert all(each.message.endswith(".") and each.fix.endswith(".") for each in violations)
    return [(each.rule, each.path) for each in violations]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("spec.runtimeRef", {}, {"runtimeRef": {"name": "other"}}),
        ("spec.runtimeRef", {}, {"runtimeRef": {"name": "mine", "kind": "TrainingRuntime"}}),
        ("spec.initializer", {"initializer": {"dataset": {}}}, {"initializer": {"model": {}}}),
        ("spec.trainer", {"trainer": {"numNodes": 1}}, {"trainer": {"numNodes": 2}}),
        ("spec.activeDeadlineSeconds", {"activeDeadlineSeconds": 1}, {"activeDeadlineSeconds": 2}),
        ("spec.managedBy", {}, {"managedBy": "kueue.x-k8s.io/multikueue"}),
    ],
)
def test_immutable_fields_cannot_change(path: str, before: dict[str, Any], after: dict[str, Any]) -> None:
    assert found(before, after) == [("TJC-07", path)]
    assert found(before, before) == []


def test_fields_can_be_added_and_removed() -> None:
    whole = {"initializer": {"dataset": {}}, "trainer": {"numNodes": 1}, "activeDeadlineSeconds": 1}

    assert found({}, whole) == []
    assert found(whole, {}) == []


def test_written_defaults_are_not_a_change() -> None:
    kind = {"name": "mine", "kind": "ClusterTrainingRuntime", "apiGroup": "trainer.kubeflow.org"}

    assert found({}, {"runtimeRef": kind, "managedBy": "trainer.kubeflow.org/trainjob-controller"}) == []


def test_trainer_2_0_lets_the_training_change() -> None:
    before, after = {"trainer": {"numNodes": 1}}, {"trainer": {"numNodes": 2}}

    assert found(before, after, "2.0.0") == []
    assert found(before, after, "2.2.0") == [("TJC-07", "spec.trainer")]


@pytest.mark.parametrize(
    ("field", "before", "after"),
    [
        ("serviceAccountName", "a", "b"),
        ("volumes", [{"name": "a", "emptyDir": {}}], [{"name": "b", "emptyDir": {}}]),
        ("initContainers", [{"name": "a"}], [{"name": "b"}]),
        ("containers", [{"name": "a"}], [{"name": "b"}]),
        ("imagePullSecrets", [{"name": "a"}], [{"name": "b"}]),
        ("securityContext", {"runAsUser": 1}, {"runAsUser": 2}),
        ("terminationGracePeriodSeconds", 1, 2),
    ],
)
def test_immutable_fields_of_patches_cannot_change(field: str, before: Any, after: Any) -> None:
    old, new = (SUSPENDED | {"runtimePatches": patches(pod_patch(**{field: value}))} for value in (before, after))
    bare = SUSPENDED | {"runtimePatches": patches(pod_patch())}

    assert found(old, new) == [("TJC-07", f"{POD}.{field}")]
    assert found(old, old) == found(old, bare) == found(bare, new) == []


def test_fields_of_patches_that_queues_set_can_change() -> None:
    old, new = (SUSPENDED | {"runtimePatches": patches(pod_patch(nodeSelector={"a": value}))} for value in ("1", "2"))

    assert found(old, new) == []


@pytest.mark.parametrize(
    ("version", "before", "after", "rejected"),
    [
        ("2.3.0", False, False, True),
        ("2.3.0", True, False, False),
        ("2.3.0", False, True, False),
        ("2.3.0", True, True, False),
        ("2.2.0", True, False, True),
        ("2.2.0", False, True, False),
    ],
)
def test_patches_change_while_suspended(version: str, before: bool, after: bool, rejected: bool) -> None:
    old, new = {"suspend": before}, {"suspend": after, "runtimePatches": patches(pod_patch())}

    assert found(old, new, version) == ([("TJC-21", "spec.runtimePatches")] if rejected else [])


def test_times_of_patches_are_not_a_change() -> None:
    given = patches(pod_patch())

    assert found({"runtimePatches": given}, {"runtimePatches": [{**given[0], "time": "2026-01-01T00:00:00Z"}]}) == []


def test_overrides_of_trainer_2_0_change_while_suspended() -> None:
    overrides = {"podSpecOverrides": [{"targetJobs": [{"name": "node"}]}]}

    assert found({}, overrides, "2.0.0") == [("TJC-21", "spec.podSpecOverrides")]
    assert found({}, overrides | SUSPENDED, "2.0.0") == []


def test_unknown_version_of_trainer_is_an_error() -> None:
    with pytest.raises(ExplainError, match=r"Trainer 1\.9\.0 is not known"):
        train_job_update_violations(train_job(), train_job(), trainer="1.9.0")
