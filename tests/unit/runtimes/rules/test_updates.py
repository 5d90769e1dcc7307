"""What cannot be changed in a runtime that exists."""

from typing import Any

import pytest

from components.runtimes.rules import IMMUTABLE_PATHS, update_violations

from .samples import HELPED, JOBSET, MPI, changed, job, loose
from .update_cases import ANY_ORDER, CHANGES, CLAIMS, DEPENDS_ON, READY


@pytest.mark.parametrize(("rule", "path", "before", "after"), CHANGES)
def test_a_changed_value_is_refused(rule: str, path: str, before: Any, after: Any) -> None:
    old, new = loose(changed(HELPED, {path: before})), loose(changed(HELPED, {path: after}))

    assert [(violation.rule, violation.path) for violation in update_violations(old, new)] == [(rule, path)]
    assert update_violations(old, old) == ()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (f"{JOBSET}.network", {"publishNotReadyAddresses": True}),
        (f"{JOBSET}.successPolicy", {"operator": "All"}),
        (f"{JOBSET}.failurePolicy", {"maxRestarts": 1}),
        (f"{JOBSET}.startupPolicy", ANY_ORDER),
        (f"{JOBSET}.volumeClaimPolicies", CLAIMS),
        (DEPENDS_ON, READY),
    ],
)
def test_a_value_may_come_and_go(path: str, value: Any) -> None:
    without, given = loose(HELPED), loose(changed(HELPED, {path: value}))

    assert update_violations(without, given) == ()
    assert update_violations(given, without) == ()


def test_default_is_not_a_change() -> None:
    implicit = loose(changed(HELPED, {f"{JOBSET}.failurePolicy": {"maxRestarts": 1}}))
    explicit = loose(changed(HELPED, {f"{JOBSET}.failurePolicy": {"maxRestarts": 1, "restartStrategy": "Recreate"}}))

    assert update_violations(implicit, explicit) == ()


def test_jobs_are_the_same_by_name_not_by_place() -> None:
    node, launcher = MPI["spec"]["template"]["spec"]["replicatedJobs"]
    moved = loose(changed(MPI, {f"{JOBSET}.replicatedJobs": [node, {**node, "name": "other"}, launcher]}))

    assert update_violations(loose(MPI), moved) == ()


def test_everything_else_may_change() -> None:
    after = changed(HELPED, {"spec.mlPolicy.numNodes": 4, f"{job(0)}.replicas": 2, f"{JOBSET}.suspend": True})

    assert update_violations(loose(HELPED), loose(after)) == ()


def test_the_paths_are_pulumis() -> None:
    assert IMMUTABLE_PATHS == (
        "spec.template.spec.network",
        "spec.template.spec.successPolicy",
        "spec.template.spec.failurePolicy",
        "spec.template.spec.startupPolicy",
        "spec.template.spec.volumeClaimPolicies",
        "spec.template.spec.replicatedJobs[*].dependsOn",
    )
