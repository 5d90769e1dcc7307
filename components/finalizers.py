"""Deletions that finalizers hold up, and the one by which Trainer 2.0 to 2.2 hold a runtime for as long as any TrainJob
names it, a finished one too.

A deletion of such a runtime waits for people to delete their TrainJobs, and for ever when the controller is gone before
it (kubeflow/trainer#3715). Since 2.3 TrainJobs have a copy of their runtime and nothing is held. Facts: Trainer 2.0.0
pkg/controller/clustertrainingruntime_controller.go, which adds the finalizer again until the runtime is being deleted.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pulumi

from .api_objects import RUNTIMES, ApiObject, collection_path, counted, listed
from .asking import left_wrong
from .cluster_access import ClusterAccess, NoAnswer
from .hook_threads import in_a_thread
from .tenancy import Tenancy
from .veto import Veto
from .violation import Violation

HELD = "OPR-10"

FINALIZER = "trainer.kubeflow.org/resource-in-use"
PATIENCE = 30.0
"""Seconds for a runtime to go once its finalizer is off; it takes one or two calls."""


def letting_go(name: str, tenancy: Tenancy) -> pulumi.ResourceHook:
    """The hook that deletes a runtime whose finalizer would hold it, before the engine does.

    It serves every runtime: the engine looks it up by its name when one goes of which the program knows no more.
    """

    async def let_go(args: pulumi.ResourceHookArgs) -> None:
        await in_a_thread(delete_held, tenancy.access, ApiObject.of(args.old_inputs or {}))

    return pulumi.ResourceHook(f"{name}:let-go", let_go)


def releasing(name: str, tenancy: Tenancy) -> pulumi.ResourceHook:
    """The hook that takes the finalizer off every runtime that is left when the controller is gone."""

    async def release(_: pulumi.ResourceHookArgs) -> None:
        await in_a_thread(release_all, tenancy.access)

    return pulumi.ResourceHook(f"{name}:release", release)


def delete_held(access: ClusterAccess, runtime: ApiObject) -> None:
    """Delete a runtime if it has the finalizer, and return when it is gone. Raises Veto, NoAnswer."""
    there = access.get(runtime.path)
    if there is not None and FINALIZER in _finalizers(there):
        delete(access, [runtime], PATIENCE)


def delete(access: ClusterAccess, objects: Sequence[ApiObject], seconds: float) -> None:
    """Delete objects, and return when they are gone, which Trainer's finalizer does not hinder. Raises Veto when the
    API server refuses, or when some are left after `seconds`; NoAnswer."""
    for each in objects:
        answer = access.call("DELETE", each.path)
        if not answer.ok and answer.status != 404:
            message = f"{each} cannot be deleted: {answer.message}."
            raise Veto([Violation(HELD, "", message, "Mend that, and do it again.")])
    if left := left_wrong(objects, partial(_holders, access), seconds, time.monotonic, time.sleep):
        held = [f"{each}, held by {finalizers}" for each, finalizers in left.items()]
        message = f"{counted(held, 'object')} did not go within {seconds:.0f} s:{listed(held)}\n "
        raise Veto([Violation(HELD, "", message, "Look at what holds them, and do it again.")])


def release_all(access: ClusterAccess) -> None:
    """Take the finalizer off every runtime of the cluster. Raises Veto when the API server refuses; NoAnswer."""
    held = [runtime for kind in RUNTIMES for runtime in _held(access, kind)]
    if left := left_wrong(held, partial(_changed_meanwhile, access), PATIENCE, time.monotonic, time.sleep):
        raise Veto([_kept(access, runtime, why) for runtime, why in left.items()])


def _held(access: ClusterAccess, kind: str) -> Iterator[ApiObject]:
    try:
        runtimes = access.items(collection_path(kind))
    except NoAnswer:  # it may not read them, and then has not made them either
        return
    yield from (ApiObject.of(each, kind) for each in runtimes if FINALIZER in _finalizers(each))


def _holders(access: ClusterAccess, each: ApiObject) -> str | None:
    """What holds an object that is being deleted; nothing when it is gone."""
    there = access.get(each.path)
    if there is None:
        return None
    _take_off(access, each, there)
    return ", ".join(_finalizers(there)) or "nobody who left a name"


def _changed_meanwhile(access: ClusterAccess, runtime: ApiObject) -> str | None:
    """Takes the finalizer off; why that must be tried again, if so."""
    there = access.get(runtime.path)
    return _take_off(access, runtime, there) if there is not None else None


def _take_off(access: ClusterAccess, each: ApiObject, there: Mapping[str, Any]) -> str | None:
    if FINALIZER not in _finalizers(there):
        return None
    others = [finalizer for finalizer in _finalizers(there) if finalizer != FINALIZER]
    # With the revision the patch fails when someone else changed the list meanwhile; it is tried again then.
    revision = there["metadata"]["resourceVersion"]
    answer = access.call("PATCH", each.path, {"metadata": {"finalizers": others, "resourceVersion": revision}})
    if answer.ok or answer.status == 404:
        return None
    if answer.status != 409:
        raise Veto([_kept(access, each, answer.message)])
    return answer.message


def _kept(access: ClusterAccess, runtime: ApiObject, why: str) -> Violation:
    message = f"The finalizer `{FINALIZER}` of {runtime} cannot be taken off, and nobody else will: {why}."
    place = f" -n {runtime.namespace}" if runtime.namespace else ""
    edit = f"{access.kubectl} edit{place} {runtime.kind.lower()} {runtime.name}"
    fix = f"Mend that and do it again, or take it off by hand: `{edit}`."
    return Violation(HELD, "", message, fix)


def _finalizers(thing: Mapping[str, Any]) -> list[str]:
    return list(thing["metadata"].get("finalizers") or ())
