"""What cannot be changed in a runtime that exists."""

from typing import Any

import pytest

from components.runtimes.rules import IMMUTABLE_PATHS, update_violations

from .samples import HELPED, JOBSET, MPI, changed, job, loose
from .update_cases import ANY_ORDER, CHANGES, CLAIMS, DEPENDS_ON, READY


@pytest.mark.parametrize(("rule", "path", "before", "after"), CHANGES)
def test_changing_an_immutable_value_is_rejected(rule: str, path: str, before: Any, after: Any) -> None:
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
def test_adding_or_removing_a_value_is_allowed(path: str, value: Any) -> None:
    without, given = loose(HELPED), loose(changed(HELPED, {path: value}))

    assert update_violations(without, given) == ()
    assert update_violations(given, without) == ()


def test_default_is_not_a_change() -> None:
    implicit = loose(changed(HELPED, {f"{JOBSET}.failurePolicy": {"maxRestarts": 1}}))
    explicit = loose(changed(HELPED, {f"{JOBSET}.failurePolicy": {"maxRestarts": 1, "restartStrategy": "Recreate"}}))

    assert update_violations(implicit, explicit) == ()


def test_jobs_are_compared_by_name_and_not_by_index() -> None:
    node, launcher = MPI["spec"]["template"]["spec"]["replicatedJobs"]
    moved = loose(changed(MPI, {f"{JOBSET}.replicatedJobs": [node, {**node, "name": "other"}, launcher]}))

    assert update_violations(loose(MPI), moved) == ()


def test_other_fields_can_change() -> None:
    after = changed(HELPED, {"spec.mlPolicy.numNodes": 4, f"{job(0)}.replicas": 2, f"{JOBSET}.suspend": True})

    assert update_violations(loose(HELPED), loose(after)) == ()


def test_paths_have_the_syntax_of_pulumi() -> None:
    assert IMMUTABLE_PATHS == (
        "spec.template.spec.network",
        "spec.template.spec.successPolicy",
        "spec.template.spec.failurePolicy",
        "spec.template.spec.startupPolicy",
        "spec.template.spec.volumeClaimPolicies",
        "spec.template.spec.replicatedJobs[*].dependsOn",
    )
