"""Deletions that finalizers hold up, and the one by which Trainer 2.0 to 2.2 hold a runtime for as long as any TrainJob
names it, a finished one too.

A deletion of such a runtime waits for people to delete their TrainJobs, and for ever when the controller is gone before
it (kubeflow/trainer#3715). Since 2.3 TrainJobs have a copy of their runtime and nothing is held. Facts: Trainer 2.0.0
pkg/controller/clustertrainingruntime_controller.go, which adds the finalizer again until the runtime is being deleted.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import pulumi

from ..cluster.client import ClusterClient, ClusterReadError
from ..cluster.context import StackContext
from ..cluster.hook_error import PreflightError
from ..cluster.objects import RUNTIME_KINDS, ObjectRef, bullet_list, collection_path, pluralize
from ..cluster.polling import poll_until_passing
from ..cluster.threads import run_in_thread
from ..validation.violation import Violation

FINALIZER = "trainer.kubeflow.org/resource-in-use"
RELEASE_TIMEOUT = 30.0
"""Seconds for a runtime to go once its finalizer is off; it takes one or two calls."""

MAX_DELETE_ATTEMPTS = 5
"""How often an object is deleted anew that something else changes meanwhile."""

GONE, CONFLICT = 404, 409


@dataclass(frozen=True)
class Seen:
    """An object as it was when it was looked at: only this very one is deleted."""

    thing: ObjectRef
    """Which."""

    uid: str
    """Its uid: one that is created again under its name has another."""

    resource_version: str
    """Its revision: what changes it meanwhile makes another."""

    @classmethod
    def of(cls, there: Mapping[str, Any], kind: str) -> Self:
        """The one that the API server has answered with."""
        metadata = there["metadata"]
        return cls(ObjectRef.of(there, kind), metadata["uid"], metadata["resourceVersion"])


def remove_finalizers_hook(name: str, tenancy: StackContext) -> pulumi.ResourceHook:
    """The hook that takes the finalizer off every runtime that is left when the controller is gone."""

    async def release(_: pulumi.ResourceHookArgs) -> None:
        await run_in_thread(remove_all_finalizers, tenancy.access)

    return pulumi.ResourceHook(f"{name}:remove-finalizers", release)


def delete_if_blocked(access: ClusterClient, runtime: ObjectRef) -> None:
    """Delete a runtime if it has the finalizer, and return when it is gone. Raises PreflightError, ClusterReadError."""
    there = access.get(runtime.path)
    if there is not None and FINALIZER in _finalizers(there):
        delete_and_wait(access, [Seen.of(there, runtime.kind)], RELEASE_TIMEOUT)


def delete_and_wait(
    access: ClusterClient, objects: Sequence[Seen], seconds: float, attempts: int = MAX_DELETE_ATTEMPTS
) -> None:
    """Delete the very objects that were seen, and return when they are gone, which Trainer's finalizer does not hinder.

    One that changes meanwhile is read and deleted again, `attempts` times in all, as long as it is the same object.
    Raises PreflightError when the API server refuses, when another object has the name of one by now, or when some are
    left after `seconds`; ClusterReadError.
    """
    for each in objects:
        _delete(access, each, attempts)
    if left := poll_until_passing(objects, partial(_remaining_finalizers, access), seconds, time.monotonic, time.sleep):
        held = [f"{each.thing}, held by {finalizers}" for each, finalizers in left.items()]
        message = f"{pluralize(held, 'object')} did not go within {seconds:.0f} s:{bullet_list(held)}\n "
        raise PreflightError([Violation("OPR-10", "", message, "Look at what holds them, and run this again.")])


def _delete(access: ClusterClient, seen: Seen, attempts: int) -> None:
    for _ in range(attempts):
        answer = access.delete(seen.thing.path, uid=seen.uid, resource_version=seen.resource_version)
        if answer.ok or answer.status == GONE:
            return
        if answer.status != CONFLICT:
            message = f"{seen.thing} was not deleted: {answer.message}."
            raise PreflightError([Violation("OPR-10", "", message, "Remove what hinders it, and run this again.")])
        there = access.get(seen.thing.path)
        if there is None:
            return
        if there["metadata"]["uid"] != seen.uid:
            message = f"{seen.thing} was not deleted: it was deleted and created again since it was looked at."
            raise PreflightError([Violation("OPR-19", "", message, "Run this again: it looks at the new one.")])
        seen = Seen.of(there, seen.thing.kind)
    message = f"{seen.thing} was not deleted: it has changed since it was looked at."
    raise PreflightError([Violation("OPR-19", "", message, "Run this again: it looks at what it is now.")])


def remove_all_finalizers(access: ClusterClient) -> None:
    """Take the finalizer off every runtime of the cluster. Raises PreflightError when the API server refuses;
    ClusterReadError."""
    held = [runtime for kind in RUNTIME_KINDS for runtime in _with_finalizer(access, kind)]
    if left := poll_until_passing(
        held, partial(_remove_or_conflict, access), RELEASE_TIMEOUT, time.monotonic, time.sleep
    ):
        raise PreflightError([_removal_refused(access, runtime, why) for runtime, why in left.items()])


def _with_finalizer(access: ClusterClient, kind: str) -> Iterator[ObjectRef]:
    try:
        runtimes = access.items(collection_path(kind))
    except ClusterReadError:  # it may not read them, and then has not made them either
        return
    yield from (ObjectRef.of(each, kind) for each in runtimes if FINALIZER in _finalizers(each))


def _remaining_finalizers(access: ClusterClient, seen: Seen) -> str | None:
    """What holds an object that is being deleted; nothing when it is gone, or another one has its name by now."""
    there = access.get(seen.thing.path)
    if there is None or there["metadata"]["uid"] != seen.uid:
        return None
    _remove_finalizer(access, seen.thing, there)
    return ", ".join(_finalizers(there)) or "no finalizer"


def _remove_or_conflict(access: ClusterClient, runtime: ObjectRef) -> str | None:
    """Takes the finalizer off; why that must be tried again, if so."""
    there = access.get(runtime.path)
    return _remove_finalizer(access, runtime, there) if there is not None else None


def _remove_finalizer(access: ClusterClient, each: ObjectRef, there: Mapping[str, Any]) -> str | None:
    if FINALIZER not in _finalizers(there):
        return None
    others = [finalizer for finalizer in _finalizers(there) if finalizer != FINALIZER]
    # With the revision the patch fails when someone else changed the list meanwhile; it is tried again then.
    revision = there["metadata"]["resourceVersion"]
    answer = access.call("PATCH", each.path, {"metadata": {"finalizers": others, "resourceVersion": revision}})
    if answer.ok or answer.status == GONE:
        return None
    if answer.status != CONFLICT:
        raise PreflightError([_removal_refused(access, each, answer.message)])
    return answer.message


def _removal_refused(access: ClusterClient, runtime: ObjectRef, why: str) -> Violation:
    message = f"The finalizer `{FINALIZER}` of {runtime} was not removed, and no controller is left to do it: {why}."
    place = f" -n {runtime.namespace}" if runtime.namespace else ""
    edit = f"{access.kubectl} edit{place} {runtime.kind.lower()} {runtime.name}"
    fix = f"Remove what hinders it and run this again, or remove the finalizer by hand: `{edit}`."
    return Violation("OPR-10", "", message, fix)


def _finalizers(thing: Mapping[str, Any]) -> list[str]:
    return list(thing["metadata"].get("finalizers") or ())
