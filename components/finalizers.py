"""The finalizer by which Trainer 2.0 to 2.2 hold a runtime for as long as any TrainJob names it, a finished one too.

A deletion of such a runtime waits for people to delete their TrainJobs, and for ever when the controller is gone before
it (kubeflow/trainer#3715). Since 2.3 TrainJobs have a copy of their runtime and nothing is held. Facts: Trainer 2.0.0
pkg/controller/clustertrainingruntime_controller.go, which adds the finalizer again until the runtime is being deleted.
"""

import asyncio
import time
from collections.abc import Mapping
from typing import Any

import pulumi

from .api_paths import PLURALS, TRAINER, path_of
from .cluster_access import ClusterAccess, NoAnswer
from .tenancy import Tenancy

FINALIZER = "trainer.kubeflow.org/resource-in-use"
PATIENCE = 30.0
"""Seconds for a runtime to go once its finalizer is off; it takes one or two calls."""


class Held(Exception):
    """A runtime does not go; the message says which, and what holds it or forbids it."""


def letting_go(name: str, tenancy: Tenancy) -> pulumi.ResourceHook:
    """The hook that deletes a runtime whose finalizer would hold it, before the engine does.

    It serves every runtime: the engine looks it up by its name when one goes of which the program knows no more.
    """

    async def let_go(args: pulumi.ResourceHookArgs) -> None:
        await asyncio.to_thread(delete_held, tenancy.access, path_of(args.old_inputs or {}))

    return pulumi.ResourceHook(f"{name}:let-go", let_go)


def releasing(name: str, tenancy: Tenancy) -> pulumi.ResourceHook:
    """The hook that takes the finalizer off every runtime that is left when the controller is gone."""

    async def release(_: pulumi.ResourceHookArgs) -> None:
        await asyncio.to_thread(release_all, tenancy.access)

    return pulumi.ResourceHook(f"{name}:release", release)


def delete_held(access: ClusterAccess, path: str) -> None:
    """Delete the runtime at `path` if it has the finalizer, and return when it is gone. Raises Held, NoAnswer."""
    runtime = access.get(path)
    if runtime is not None and FINALIZER in _finalizers(runtime):
        delete(access, path)


def delete(access: ClusterAccess, path: str) -> None:
    """Delete the runtime at `path`, and return when it is gone. Raises Held, NoAnswer."""
    answer = access.call("DELETE", path)
    if not answer.ok and answer.status != 404:
        raise Held(f"{path} cannot be deleted: {answer.message}")
    deadline = time.monotonic() + PATIENCE
    while (runtime := access.get(path)) is not None:
        if FINALIZER in _finalizers(runtime):
            _take_off(access, path, runtime)
        if time.monotonic() > deadline:
            raise Held(f"{path} is being deleted, and its finalizers keep it: {', '.join(_finalizers(runtime))}.")
        time.sleep(0.1)


def release_all(access: ClusterAccess) -> None:
    """Take the finalizer off every runtime of the cluster."""
    for kind, plural in PLURALS.items():
        try:
            runtimes = access.items(f"{TRAINER}/{plural}")
        except NoAnswer:  # it may not read them, and then has not made them either
            continue
        for runtime in filter(lambda each: FINALIZER in _finalizers(each), runtimes):
            _take_off(access, path_of({**runtime, "kind": kind}), runtime)  # items of a list don't say their kind


def _take_off(access: ClusterAccess, path: str, runtime: Mapping[str, Any]) -> None:
    others = [finalizer for finalizer in _finalizers(runtime) if finalizer != FINALIZER]
    # With the revision the patch fails when someone else changed the list meanwhile; whoever waits tries again.
    revision = runtime["metadata"]["resourceVersion"]
    access.call("PATCH", path, {"metadata": {"finalizers": others, "resourceVersion": revision}})


def _finalizers(runtime: Mapping[str, Any]) -> list[str]:
    return list(runtime["metadata"].get("finalizers") or ())
