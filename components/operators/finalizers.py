"""Deletes objects that have finalizers, including the one that Trainer 2.0 to 2.2 put on runtimes.

That finalizer keeps a runtime as long as any TrainJob names it, even a finished one. Deleting such a runtime waits
until users delete their TrainJobs, and never completes if the controller was deleted first (kubeflow/trainer#3715).
Since 2.3 TrainJobs have a copy of their runtime and there is no finalizer. Source: Trainer 2.0.0
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
from ..cluster.resource_hook import resource_hook
from ..cluster.threads import run_in_thread
from ..runtimes.api import IN_USE_FINALIZER
from ..validation.violation import Violation

RELEASE_TIMEOUT = 30.0
"""Seconds to wait until a runtime is gone after its finalizer was removed. It takes one or two calls."""

MAX_DELETE_ATTEMPTS = 5
"""How often deleting an object is retried because it changed meanwhile."""

GONE, CONFLICT = 404, 409


class ObjectChangedError(PreflightError):
    """An object was not deleted, because it changed after it was checked."""


@dataclass(frozen=True)
class Seen:
    """An object at the revision at which it was checked. Only exactly this object is deleted."""

    thing: ObjectRef
    """The object."""

    uid: str
    """Its uid. An object created again under the same name has another."""

    resource_version: str
    """Its revision, which every change replaces."""

    @classmethod
    def of(cls, there: Mapping[str, Any], kind: str) -> Self:
        """From an object that the API server returned."""
        metadata = there["metadata"]
        return cls(ObjectRef.of(there, kind), metadata["uid"], metadata["resourceVersion"])


def remove_finalizers_hook(name: str, stack_context: StackContext) -> pulumi.ResourceHook:
    """The hook that removes the finalizer from all remaining runtimes after the controller is gone."""

    async def release(_: pulumi.ResourceHookArgs) -> None:
        await run_in_thread(remove_all_finalizers, stack_context.access)

    return resource_hook(f"{name}:remove-finalizers", release)


def delete_if_blocked(access: ClusterClient, runtime: ObjectRef) -> None:
    """Delete a runtime if it has the finalizer, and wait until it is gone. Raises PreflightError, ClusterReadError."""
    there = access.get(runtime.path)
    if there is not None and IN_USE_FINALIZER in _finalizers(there):
        delete_and_wait(access, [Seen.of(there, runtime.kind)], RELEASE_TIMEOUT)


def delete_and_wait(
    access: ClusterClient, objects: Sequence[Seen], seconds: float, attempts: int = MAX_DELETE_ATTEMPTS
) -> None:
    """Delete exactly these objects and wait until they are gone. Trainer's finalizer is removed from them.

    An object that changes meanwhile is read and deleted again, up to `attempts` times, if it is still the same object.
    Raises PreflightError if the API server rejects a deletion, if an object was replaced by another of the same name,
    or if some objects still exist after `seconds`; ClusterReadError.
    """
    for each in objects:
        _delete(access, each, attempts)
    if left := poll_until_passing(objects, partial(_remaining_finalizers, access), seconds, time.monotonic, time.sleep):
        held = [f"{each.thing}, held by {finalizers}" for each, finalizers in left.items()]
        message = f"{pluralize(held, 'object')} not deleted within {seconds:.0f} s:{bullet_list(held)}\n "
        raise PreflightError([Violation("OPR-10", "", message, "Find out what holds them, and run this again.")])


def _delete(access: ClusterClient, seen: Seen, attempts: int) -> None:
    for _ in range(attempts):
        answer = access.delete(seen.thing.path, uid=seen.uid, resource_version=seen.resource_version)
        if answer.ok or answer.status == GONE:
            return
        if answer.status != CONFLICT:
            message = f"{seen.thing} was not deleted: {answer.message}."
            raise PreflightError([Violation("OPR-10", "", message, "Remove the cause, and run this again.")])
        there = access.get(seen.thing.path)
        if there is None:
            return
        if there["metadata"]["uid"] != seen.uid:
            message = f"{seen.thing} was not deleted: it was deleted and created again since it was checked."
            raise ObjectChangedError([Violation("OPR-19", "", message, "Run this again to check the new object.")])
        seen = Seen.of(there, seen.thing.kind)
    message = f"{seen.thing} was not deleted: it keeps changing while it is checked."
    raise ObjectChangedError([Violation("OPR-19", "", message, "Run this again to check its new state.")])


def remove_all_finalizers(access: ClusterClient) -> None:
    """Remove the finalizer from every runtime in the cluster. Raises PreflightError if the API server rejects that;
    ClusterReadError."""
    held = [runtime for kind in RUNTIME_KINDS for runtime in _with_finalizer(access, kind)]
    if left := poll_until_passing(
        held, partial(_remove_or_conflict, access), RELEASE_TIMEOUT, time.monotonic, time.sleep
    ):
        raise PreflightError([_removal_refused(access, runtime, why) for runtime, why in left.items()])


def _with_finalizer(access: ClusterClient, kind: str) -> Iterator[ObjectRef]:
    try:
        runtimes = access.list_objects(collection_path(kind))
    except ClusterReadError:  # without the right to read runtimes, this stack did not create any
        return
    yield from (ObjectRef.of(each, kind) for each in runtimes if IN_USE_FINALIZER in _finalizers(each))


def _remaining_finalizers(access: ClusterClient, seen: Seen) -> str | None:
    """The finalizers that keep an object which is being deleted. None once it is gone or replaced by another."""
    there = access.get(seen.thing.path)
    if there is None or there["metadata"]["uid"] != seen.uid:
        return None
    _remove_finalizer(access, seen.thing, there)
    return ", ".join(_finalizers(there)) or "no finalizer"


def _remove_or_conflict(access: ClusterClient, runtime: ObjectRef) -> str | None:
    """Remove the finalizer. Returns why that must be retried, or None."""
    there = access.get(runtime.path)
    return _remove_finalizer(access, runtime, there) if there is not None else None


def _remove_finalizer(access: ClusterClient, each: ObjectRef, there: Mapping[str, Any]) -> str | None:
    if IN_USE_FINALIZER not in _finalizers(there):
        return None
    others = [finalizer for finalizer in _finalizers(there) if finalizer != IN_USE_FINALIZER]
    # With the revision, the patch fails if someone else changed the list meanwhile. It is retried then.
    revision = there["metadata"]["resourceVersion"]
    answer = access.request("PATCH", each.path, {"metadata": {"finalizers": others, "resourceVersion": revision}})
    if answer.ok or answer.status == GONE:
        return None
    if answer.status != CONFLICT:
        raise PreflightError([_removal_refused(access, each, answer.message)])
    return answer.message


def _removal_refused(access: ClusterClient, runtime: ObjectRef, why: str) -> Violation:
    left = "and no controller is left to remove it"
    message = f"Could not remove finalizer `{IN_USE_FINALIZER}` from {runtime}, {left}: {why}."
    place = f" -n {runtime.namespace}" if runtime.namespace else ""
    edit = f"{access.kubectl} edit{place} {runtime.kind.lower()} {runtime.name}"
    fix = f"Fix the cause and run this again, or remove the finalizer manually: `{edit}`."
    return Violation("OPR-10", "", message, fix)


def _finalizers(thing: Mapping[str, Any]) -> list[str]:
    return list(thing["metadata"].get("finalizers") or ())
