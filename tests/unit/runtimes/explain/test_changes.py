"""What later changes do."""

import pytest

from components.runtimes.explain import RELEASES
from components.runtimes.explain.changes import later_changes


def effects(version: str, mpi: bool = False) -> dict[str, str]:
    return {change.of: change.effect for change in later_changes(RELEASES[version], mpi)}


def test_2_3_keeps_the_runtime_as_it_was() -> None:
    assert effects("2.3.0")["Runtime: any field"] == (
        "No effect on this TrainJob: the ConfigMap with the suffix -runtime-snapshot keeps the runtime as it was."
    )
    assert effects("2.3.0")["Runtime: deletion"] == "Possible at any time."


@pytest.mark.parametrize("version", ["2.0.0", "2.2.0"])
def test_older_releases_read_the_runtime_again(version: str) -> None:
    assert "A suspended TrainJob takes the new runtime" in effects(version)["Runtime: any field"]
    assert effects(version)["Runtime: deletion"] == "Waits until no TrainJob refers to the runtime."
    assert "Runtime: mlPolicy.mpi, jobs" not in effects(version)
    assert effects(version, mpi=True)["Runtime: mlPolicy.mpi, jobs"].startswith("The hostfile changes at once")


def test_2_0_lets_the_trainer_change_without_effect() -> None:
    assert effects("2.0.0")["TrainJob: trainer, initializer"] == ("No effect on a JobSet that is not suspended.")
    assert effects("2.0.0")["TrainJob: runtimeRef, managedBy"] == "The API server rejects the change."
    immutable = "TrainJob: runtimeRef, initializer, trainer, activeDeadlineSeconds, managedBy"
    assert effects("2.2.0")[immutable] == "The API server rejects the change."


@pytest.mark.parametrize(("version", "field"), [("2.0.0", "podSpecOverrides"), ("2.2.0", "runtimePatches")])
def test_patches_can_change_while_suspended(version: str, field: str) -> None:
    expected = "Possible while the TrainJob is suspended. No pod may be active."
    assert effects(version)[f"TrainJob: {field}"] == expected


def test_2_3_lets_patches_change_with_the_suspension() -> None:
    assert effects("2.3.0")["TrainJob: runtimePatches"] == (
        "Possible while the TrainJob is suspended, or in the change that suspends or resumes it. No pod may be active."
    )
