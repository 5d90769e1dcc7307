"""Whether operators may be removed: what users have that would stop, or be lost with namespaces or CRDs."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ..cluster.client import ClusterClient, ClusterReadError
from ..cluster.context import StackContext
from ..cluster.hook_error import PreflightError
from ..cluster.objects import ObjectRef, bullet_list, collection_path, pluralize
from ..cluster.ownership import annotations_of
from ..validation.violation import Violation
from .discovery import CRDS, CREATED, NAMESPACES, ORIGIN
from .finalizers import Seen, delete_and_wait
from .namespace_contents import contents_violation, foreign_objects
from .spec import OperatorSpec

DELETE_TIMEOUT = 120.0
"""Seconds for objects that are given up to go while their controllers still run."""

ENDED = {"TrainJob": ("Complete", "Failed"), "JobSet": ("Completed", "Failed")}
"""Types of the conditions that say of an object that it has ended (Trainer 2.0.0 and 2.3.0, trainjob_types.go; JobSet
0.8.2 and 0.12.0, jobset_types.go)."""

Going = Mapping[str, str | None]
"""Operators that go, by section, each with the namespace that goes with it. None: it is not known."""


def require_safe_uninstall(
    going: Going, operators: Mapping[str, OperatorSpec], runtimes: Sequence[Mapping[str, Any]], tenancy: StackContext
) -> None:
    """Returns when operators may be removed by a destroy; what was given up with their CRDs is gone then, in the order
    in which nothing holds anything. Raises PreflightError.

    Args:
        going: What goes.
        operators: The operators that the settings have.
        runtimes: The stack's own runtimes, which the engine deletes.
        tenancy: The stack and its cluster.
    """
    access = tenancy.access
    require_no_active_train_jobs(going, operators, access)
    lost: list[Seen] = []
    if any(each.destroy_crds for each in operators.values()):
        with _cluster_must_be_readable(_section(operators)):
            lost = list(objects_lost_with_crds(operators, runtimes, access))
        require_confirmed(operators, [each.thing for each in lost])
        tenancy.run.lost = True
    kept = {section for section, each in operators.items() if each.keeps(going.get(section))}
    leaves = {section: namespace for section, namespace in going.items() if section not in kept}
    require_no_contents(leaves, tenancy, [each.thing for each in lost])
    # TrainJobs, then what they used, while the controllers run that take their finalizers off.
    for kind in dict.fromkeys(each.thing.kind for each in lost):
        delete_and_wait(access, [each for each in lost if each.thing.kind == kind], DELETE_TIMEOUT)


def require_no_active_train_jobs(going: Going, operators: Mapping[str, OperatorSpec], access: ClusterClient) -> None:
    """Returns when nothing unfinished needs what goes, or the operators may interrupt it. Raises PreflightError."""
    if not going or any(each.interrupt_train_jobs for each in operators.values()):
        return
    section = _section(operators)
    with _cluster_must_be_readable(section):
        jobs = _unfinished("TrainJob", access)
        jobsets = _unfinished("JobSet", access) if "jobset" in going else []
    waiting = f"Wait for them, delete them, or write `{section}: {{interruptTrainJobs: true}}` to go on."
    fix = waiting if operators else "Wait for them, or delete them."
    found = []
    if jobs:
        message = f"{pluralize(jobs, 'unfinished TrainJob')} would stop:{bullet_list(jobs)}\n "
        found.append(Violation("OPR-05", section, message, fix))
    if jobsets:
        message = f"{pluralize(jobsets, 'unfinished JobSet')} without a TrainJob would stop:{bullet_list(jobsets)}\n "
        found.append(Violation("OPR-05", section, message, fix))
    if found:
        raise PreflightError(found)


def require_no_contents(going: Going, tenancy: StackContext, given_up: Collection[ObjectRef] = ()) -> None:
    """Returns when the namespaces that go hold nothing that the stack did not create, and that is not given up
    already. Raises PreflightError.

    A namespace that stays, since it was there before or the settings keep it, is not looked into.
    """
    found = []
    for section, namespace in going.items():
        with _cluster_must_be_readable(section):
            there = tenancy.access.get(f"{NAMESPACES}/{namespace}") if namespace else None
            if namespace and there and annotations_of(there).get(ORIGIN, CREATED) == CREATED:
                contents = [each for each in foreign_objects(namespace, tenancy) if each not in given_up]
                found += [contents_violation(section, namespace, contents)] if contents else []
    if found:
        raise PreflightError(found)


def require_confirmed(operators: Mapping[str, OperatorSpec], lost: Sequence[ObjectRef]) -> None:
    """Returns when the settings confirm the number of objects that are lost with the CRDs. Raises PreflightError."""
    destroying = {section: each for section, each in operators.items() if each.destroy_crds}
    confirmed = sum(each.confirmed_object_loss or 0 for each in destroying.values())
    if lost and confirmed != len(lost):
        section = _section(operators)
        message = (
            f"`destroyCrds` would delete {pluralize(lost, 'object')} for good, not {confirmed}:{bullet_list(lost)}\n "
        )
        fix = f"Write `{section}: {{destroyCrds: true, confirmedObjectLoss: {len(lost)}}}`, or take `destroyCrds` out."
        raise PreflightError([Violation("OPR-06", f"{section}.confirmedObjectLoss", message, fix)])


def destroy_crds(section: str, spec: OperatorSpec, tenancy: StackContext) -> None:
    """Delete the CRDs of an operator that is gone, and return when they are gone. Raises PreflightError.

    What users have is counted once more right before: the gate has deleted what was confirmed, so anything that is
    there now came after the count. Where there was no gate to count the number of the settings counts here.
    """
    access = tenancy.access
    with _cluster_must_be_readable(section):
        left = [each.thing for each in objects_lost_with_crds({section: spec}, (), access)]
    if left and tenancy.run.lost:
        message = f"{pluralize(left, 'object')} came after the count of `confirmedObjectLoss`:{bullet_list(left)}\n "
        fix = f"Delete them, or write `{section}: {{confirmedObjectLoss: {len(left)}}}`, and run the destroy again."
        raise PreflightError([Violation("OPR-06", f"{section}.confirmedObjectLoss", message, fix)])
    require_confirmed({section: spec}, left)
    with _cluster_must_be_readable(section):
        crds = [Seen.of(crd, "CustomResourceDefinition") for name in spec.crds if (crd := access.get(f"{CRDS}/{name}"))]
        delete_and_wait(access, crds, DELETE_TIMEOUT)


@contextmanager
def _cluster_must_be_readable(section: str) -> Iterator[None]:
    try:
        yield
    except ClusterReadError as error:
        fix = "Make the API server answer, or ask for the right to read it: nothing is removed unseen."
        message = f"Nothing was removed, since what the cluster has is unknown: {error}."
        raise PreflightError([Violation("OPR-07", section, message, fix)]) from error


def _section(operators: Mapping[str, OperatorSpec]) -> str:
    """The section that messages are about: the last of those that the stack has left."""
    return [*operators, "trainer"][max(len(operators) - 1, 0)]


def is_finished(thing: Mapping[str, Any], kind: str = "TrainJob") -> bool:
    """Whether a TrainJob or a JobSet has ended, well or not."""
    conditions = thing.get("status", {}).get("conditions") or ()
    return any(each["type"] in ENDED[kind] and each["status"] == "True" for each in conditions)


def objects_lost_with_crds(
    operators: Mapping[str, OperatorSpec], runtimes: Sequence[Mapping[str, Any]], access: ClusterClient
) -> Iterator[Seen]:
    """The objects of users that go with the CRDs that go: not the stack's own runtimes, nor what a TrainJob made."""
    own = {ObjectRef.of(each) for each in runtimes}
    if "trainer" in operators and operators["trainer"].destroy_crds:
        for kind in ("TrainJob", "TrainingRuntime", "ClusterTrainingRuntime"):
            there = (Seen.of(thing, kind) for thing in access.items(collection_path(kind)))
            yield from (each for each in there if each.thing not in own)
    if "jobset" in operators and operators["jobset"].destroy_crds:
        yield from (Seen.of(thing, "JobSet") for thing in _of_users("JobSet", access))


def _unfinished(kind: str, access: ClusterClient) -> list[ObjectRef]:
    return [ObjectRef.of(thing, kind) for thing in _of_users(kind, access) if not is_finished(thing, kind)]


def _of_users(kind: str, access: ClusterClient) -> Collection[Mapping[str, Any]]:
    """All objects of a kind, without those that a TrainJob made."""
    return [thing for thing in access.items(collection_path(kind)) if not _is_made(thing)]


def _is_made(thing: Mapping[str, Any]) -> bool:
    return any(owner["kind"] == "TrainJob" for owner in thing["metadata"].get("ownerReferences") or ())
