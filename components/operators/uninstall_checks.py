"""Checks before operators are removed: work of users that would stop, and objects that would be deleted with namespaces
or CRDs."""

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
"""Seconds to wait until the confirmed objects are deleted, while their controllers still run."""

ENDED = {"TrainJob": ("Complete", "Failed"), "JobSet": ("Completed", "Failed")}
"""Types of the conditions that mark an object as finished (Trainer 2.0.0 and 2.3.0, trainjob_types.go; JobSet 0.8.2 and
0.12.0, jobset_types.go)."""

Going = Mapping[str, str | None]
"""Operators to be removed, by section, each with the namespace that is deleted with it. None: unknown."""


def require_safe_uninstall(
    going: Going,
    operators: Mapping[str, OperatorSpec],
    runtimes: Sequence[Mapping[str, Any]],
    stack_context: StackContext,
) -> None:
    """Raise PreflightError unless the operators can be removed safely. Deletes the objects whose loss the settings
    confirm, dependents first.

    Args:
        going: The operators to be removed.
        operators: The operators in the settings.
        runtimes: The stack's own runtimes, which the engine deletes.
        stack_context: The stack and its cluster.
    """
    access = stack_context.access
    require_no_active_train_jobs(going, operators, access)
    lost: list[Seen] = []
    if any(each.destroy_crds for each in operators.values()):
        with _cluster_must_be_readable(_section(operators)):
            lost = list(objects_lost_with_crds(operators, runtimes, access))
        require_confirmed(operators, [each.thing for each in lost])
        stack_context.run.confirmed_loss = True
    kept = {section for section, each in operators.items() if each.keeps(going.get(section))}
    leaves = {section: namespace for section, namespace in going.items() if section not in kept}
    require_no_contents(leaves, stack_context, [each.thing for each in lost])
    # TrainJobs first, then the objects that they use, while the controllers that remove their finalizers still run.
    for kind in dict.fromkeys(each.thing.kind for each in lost):
        delete_and_wait(access, [each for each in lost if each.thing.kind == kind], DELETE_TIMEOUT)


def require_no_active_train_jobs(going: Going, operators: Mapping[str, OperatorSpec], access: ClusterClient) -> None:
    """Raise PreflightError if unfinished TrainJobs or JobSets need an operator that is removed, unless the settings
    allow interrupting them."""
    if not going or any(each.interrupt_train_jobs for each in operators.values()):
        return
    section = _section(operators)
    with _cluster_must_be_readable(section):
        jobs = _unfinished("TrainJob", access)
        jobsets = _unfinished("JobSet", access) if "jobset" in going else []
    waiting = f"Wait for them, delete them, or set `{section}: {{interruptTrainJobs: true}}` to interrupt them."
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


def require_unused(section: str, stack_context: StackContext) -> None:
    """Raise PreflightError if users' work needs an operator that is removed, unless the gate has checked this in the
    same run. A state may have no gate: it was never created, or it was deleted in the cluster and then refreshed."""
    if section in stack_context.run.checked or stack_context.run.interrupts:
        return
    require_no_active_train_jobs({section: None}, {}, stack_context.access)
    stack_context.run.checked.add(section)


def require_no_contents(going: Going, stack_context: StackContext, given_up: Collection[ObjectRef] = ()) -> None:
    """Raise PreflightError if a namespace to be deleted holds objects that the stack did not create, except those
    `given_up`.

    A namespace that is kept, because it existed before or by the settings, is not checked.
    """
    found = []
    for section, namespace in going.items():
        with _cluster_must_be_readable(section):
            there = stack_context.access.get(f"{NAMESPACES}/{namespace}") if namespace else None
            if namespace and there and annotations_of(there).get(ORIGIN, CREATED) == CREATED:
                contents = [each for each in foreign_objects(namespace, stack_context) if each not in given_up]
                found += [contents_violation(section, namespace, contents)] if contents else []
    if found:
        raise PreflightError(found)


def require_confirmed(operators: Mapping[str, OperatorSpec], lost: Sequence[ObjectRef]) -> None:
    """Raise PreflightError unless the settings confirm the number of objects that are deleted with the CRDs."""
    destroying = {section: each for section, each in operators.items() if each.destroy_crds}
    confirmed = sum(each.confirmed_object_loss or 0 for each in destroying.values())
    if lost and confirmed != len(lost):
        section = _section(operators)
        message = (
            f"`destroyCrds` would delete {pluralize(lost, 'object')}, and {confirmed} are confirmed:"
            f"{bullet_list(lost)}\n "
        )
        fix = f"Set `{section}: {{destroyCrds: true, confirmedObjectLoss: {len(lost)}}}`, or remove `destroyCrds`."
        raise PreflightError([Violation("OPR-06", f"{section}.confirmedObjectLoss", message, fix)])


def destroy_crds(section: str, spec: OperatorSpec, stack_context: StackContext) -> None:
    """Delete the CRDs of an operator that is gone, and wait until they are gone. Raises PreflightError.

    The objects of users are counted again right before. The gate has deleted the confirmed ones, so any object that
    exists now was created after the count. If there was no gate, the number in the settings applies here.
    """
    access = stack_context.access
    with _cluster_must_be_readable(section):
        left = [each.thing for each in objects_lost_with_crds({section: spec}, (), access)]
    if left and stack_context.run.confirmed_loss:
        message = f"{pluralize(left, 'object')} created after the loss was confirmed:{bullet_list(left)}\n "
        fix = f"Delete them, or set `{section}: {{confirmedObjectLoss: {len(left)}}}`, and run the destroy again."
        raise PreflightError([Violation("OPR-06", f"{section}.confirmedObjectLoss", message, fix)])
    require_confirmed({section: spec}, left)
    with _cluster_must_be_readable(section):
        crds = [
            Seen.of(crd, "CustomResourceDefinition")
            for name in spec.facts.crds
            if (crd := access.get(f"{CRDS}/{name}"))
        ]
        delete_and_wait(access, crds, DELETE_TIMEOUT)


@contextmanager
def _cluster_must_be_readable(section: str) -> Iterator[None]:
    try:
        yield
    except ClusterReadError as error:
        message = f"Nothing was deleted, because the cluster could not be checked: {error}."
        fix = "Fix the connection or request the missing read access, and run this again."
        raise PreflightError([Violation("OPR-07", section, message, fix)]) from error


def _section(operators: Mapping[str, OperatorSpec]) -> str:
    """The section that messages name: the last one that the settings have."""
    return [*operators, "trainer"][max(len(operators) - 1, 0)]


def is_finished(thing: Mapping[str, Any], kind: str = "TrainJob") -> bool:
    """Whether a TrainJob or JobSet has finished, successfully or not."""
    conditions = (thing.get("status") or {}).get("conditions") or ()
    return any(each["type"] in ENDED[kind] and each["status"] == "True" for each in conditions)


def objects_lost_with_crds(
    operators: Mapping[str, OperatorSpec], runtimes: Sequence[Mapping[str, Any]], access: ClusterClient
) -> Iterator[Seen]:
    """The objects of users that are deleted with the CRDs: without the stack's own runtimes and without JobSets of
    TrainJobs."""
    own = {ObjectRef.of(each) for each in runtimes}
    if "trainer" in operators and operators["trainer"].destroy_crds:
        for kind in ("TrainJob", "TrainingRuntime", "ClusterTrainingRuntime"):
            there = (Seen.of(thing, kind) for thing in access.list_objects(collection_path(kind)))
            yield from (each for each in there if each.thing not in own)
    if "jobset" in operators and operators["jobset"].destroy_crds:
        yield from (Seen.of(thing, "JobSet") for thing in _of_users("JobSet", access))


def _unfinished(kind: str, access: ClusterClient) -> list[ObjectRef]:
    return [ObjectRef.of(thing, kind) for thing in _of_users(kind, access) if not is_finished(thing, kind)]


def _of_users(kind: str, access: ClusterClient) -> Collection[Mapping[str, Any]]:
    """All objects of a kind that were not created by a TrainJob."""
    return [thing for thing in access.list_objects(collection_path(kind)) if not _is_made(thing)]


def _is_made(thing: Mapping[str, Any]) -> bool:
    return any(owner["kind"] == "TrainJob" for owner in thing["metadata"].get("ownerReferences") or ())
