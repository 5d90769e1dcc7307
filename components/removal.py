"""Whether operators may be removed: what users have in the cluster that would stop, or be lost with the CRDs."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from .api_objects import ApiObject, collection_path, counted, listed
from .cluster_access import ClusterAccess, NoAnswer
from .finalizers import delete
from .operator_spec import OperatorSpec
from .veto import Veto
from .violation import Violation

UNFINISHED, LOST, UNSEEN = "OPR-05", "OPR-06", "OPR-07"

PATIENCE = 120.0
"""Seconds for objects that are given up to go while their controllers still run."""


def require_leave(
    operators: Mapping[str, OperatorSpec], runtimes: Sequence[Mapping[str, Any]], access: ClusterAccess
) -> None:
    """Returns when the operators may be removed; what was given up with their CRDs is gone then, in the order in which
    nothing holds anything. Raises Veto."""
    require_idle(operators, access)
    if not any(each.destroy_crds for each in operators.values()):
        return
    section = _section(operators)
    with _seen(section):
        lost = list(losses(operators, runtimes, access))
    confirmed = sum(each.objects_lost or 0 for each in operators.values() if each.destroy_crds)
    if confirmed != len(lost):
        message = f"`destroyCrds` would delete {counted(lost, 'object')} for good, not {confirmed}:{listed(lost)}\n "
        fix = f"Write `{section}: {{destroyCrds: true, objectsLost: {len(lost)}}}`, or take `destroyCrds` out."
        raise Veto([Violation(LOST, f"{section}.objectsLost", message, fix)])
    # TrainJobs, then what they used, while the controllers run that take their finalizers off.
    for kind in dict.fromkeys(each.kind for each in lost):
        delete(access, [each for each in lost if each.kind == kind], PATIENCE)


def require_idle(operators: Mapping[str, OperatorSpec], access: ClusterAccess) -> None:
    """Returns when no TrainJob is unfinished, or the operators may interrupt it. Raises Veto."""
    if any(each.interrupt_train_jobs for each in operators.values()):
        return
    section = _section(operators)
    with _seen(section):
        jobs = _train_jobs(access)
    unfinished = [ApiObject.of(job, "TrainJob") for job in jobs if not is_finished(job)]
    if unfinished:
        message = f"{counted(unfinished, 'unfinished TrainJob')} would stop:{listed(unfinished)}\n "
        fix = f"Wait for them, delete them, or write `{section}: {{interruptTrainJobs: true}}` to go on."
        raise Veto([Violation(UNFINISHED, section, message, fix if operators else "Wait for them, or delete them.")])


@contextmanager
def _seen(section: str) -> Iterator[None]:
    try:
        yield
    except NoAnswer as error:
        fix = "Mend that: nothing is removed without a look at what runs."
        raise Veto([Violation(UNSEEN, section, f"What is in the cluster cannot be told: {error}.", fix)]) from error


def _section(operators: Mapping[str, OperatorSpec]) -> str:
    """The section that messages are about: the last of those that the stack has left."""
    return [*operators, "trainer"][max(len(operators) - 1, 0)]


def is_finished(job: Mapping[str, Any]) -> bool:
    """Whether a TrainJob has ended, well or not."""
    conditions = job.get("status", {}).get("conditions") or ()
    return any(each["type"] in ("Complete", "Failed") and each["status"] == "True" for each in conditions)


def losses(
    operators: Mapping[str, OperatorSpec], runtimes: Sequence[Mapping[str, Any]], access: ClusterAccess
) -> Iterator[ApiObject]:
    """The objects of users that go with the CRDs that go: not the stack's own runtimes, nor what a TrainJob made."""
    own = {ApiObject.of(each) for each in runtimes}
    if "trainer" in operators and operators["trainer"].destroy_crds:
        for kind in ("TrainJob", "TrainingRuntime", "ClusterTrainingRuntime"):
            there = (ApiObject.of(thing, kind) for thing in access.items(collection_path(kind)))
            yield from (each for each in there if each not in own)
    if "jobset" in operators and operators["jobset"].destroy_crds:
        for thing in access.items(collection_path("JobSet")):
            owners = thing["metadata"].get("ownerReferences") or ()
            if not any(owner["kind"] == "TrainJob" for owner in owners):
                yield ApiObject.of(thing, "JobSet")


def _train_jobs(access: ClusterAccess) -> list[Mapping[str, Any]]:
    return access.items(collection_path("TrainJob"))
