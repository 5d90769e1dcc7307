"""What a change of a runtime does to TrainJobs."""

from typing import Any

import pytest

from components.admission.runtime_changes import train_job_changes
from components.runtimes import torch


def manifest(**options: Any) -> dict[str, Any]:
    return torch(name="mine", **options).to_manifest()


def test_each_difference_has_a_line() -> None:
    stored = manifest(nodes=1, env={"A": "1"})
    stored["metadata"] |= {"uid": "1", "resourceVersion": "5", "annotations": {"owner": "us"}}
    assert train_job_changes({**stored, "status": {}}, manifest(nodes=3, env={"A": "2"}), "2.3.0") == (
        "Job node has 3 pods instead of 1.",
        "Container node of node: A, PET_NNODES are changed in the environment.",
    )


def test_a_change_that_train_jobs_do_not_see_is_not_reported() -> None:
    old = manifest()
    old["metadata"]["labels"] = {"team": "vision"}
    assert train_job_changes(old, manifest(), "2.3.0") == ()


@pytest.mark.parametrize(("trainer", "lines"), [("2.0.1", 0), ("2.3.1", 1), ("2.9.0", 1)])
def test_the_minor_version_of_trainer_is_explained(trainer: str, lines: int) -> None:
    """2.0 does not know `envInjection`."""
    new = manifest()
    new["spec"]["mlPolicy"]["torch"] = {"envInjection": {"targets": [{"jobName": "node", "containerNames": ["side"]}]}}
    for each in (old := manifest(), new):
        pod = each["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
        pod["containers"].append({"name": "side", "image": "a"})
    assert len(train_job_changes(old, new, trainer)) == lines


@pytest.mark.parametrize("broken", [{}, {"spec": {"unknown": 1}}, {"spec": None}])
def test_a_manifest_that_cannot_be_explained_has_no_lines(broken: dict[str, Any]) -> None:
    assert train_job_changes(manifest() | broken if broken else {}, manifest(), "2.3.0") == ()


def test_a_runtime_with_too_many_pods_has_no_lines() -> None:
    assert train_job_changes(manifest(nodes=20_000), manifest(), "2.3.0") == ()
