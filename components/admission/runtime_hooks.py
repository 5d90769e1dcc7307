"""Checks before runtimes are created, changed, replaced or deleted.

Whatever deletes a runtime, a hook or the provider: before that, all checks of its successor have passed: owner,
versions, webhooks, permissions, fields that CRDs drop. If they cannot be made, the old runtime is kept.
"""

from collections.abc import Collection, Mapping
from typing import Any

import pulumi

from ..cluster.client import ClusterClient, ClusterReadError
from ..cluster.context import StackContext
from ..cluster.hook_error import PreflightError
from ..cluster.objects import ObjectRef, collection_path
from ..cluster.ownership import describe_owner, is_owned_by
from ..cluster.replacement import require_successor
from ..cluster.resource_hook import resource_hook
from ..cluster.threads import run_in_thread
from ..operators.finalizers import (
    MAX_DELETE_ATTEMPTS,
    RELEASE_TIMEOUT,
    ObjectChangedError,
    Seen,
    delete_and_wait,
    delete_if_blocked,
)
from ..runtimes.explain import LATEST
from ..validation.violation import Violation
from .checks import AdmissionCheck
from .field_pruning import FieldPruningCheck
from .runtime_changes import train_job_changes
from .runtime_users import require_unused
from .suspended_train_jobs import SuspendedTrainJobs
from .told_once import ToldOnce


class RuntimeHooks:
    """The hooks that all runtimes of a component share."""

    def __init__(
        self,
        name: str,
        manifests: Mapping[str, Mapping[str, Any]],
        adopted: Collection[str],
        admission: AdmissionCheck,
        pruning_check: FieldPruningCheck,
        *,
        interrupt: bool = False,
    ) -> None:
        """Register the hooks.

        Args:
            name: Name of the component.
            manifests: The runtimes by the names of their resources.
            adopted: Names of runtimes that may already exist, created by someone else.
            admission: The check of the operators.
            pruning_check: The check of fields, which remembers its results in this run.
            interrupt: Whether a runtime may be deleted while unfinished TrainJobs use it.
        """
        self._manifests, self._adopted, self._keeping = manifests, adopted, pruning_check
        self._tenancy = admission.stack_context
        self._waiting = SuspendedTrainJobs(self._tenancy.access)
        self._admitted = admission.run_once()
        trainer = admission.operators.get("trainer")
        self._trainer_version = trainer.version if trainer else LATEST
        self.waits = admission.seconds
        """Seconds that the webhooks may take to respond."""
        self.settled: set[str] = set()
        """Names of resources that the engine has finished: one that is deleted later is removed, not replaced."""
        self.resources: dict[str, pulumi.Resource] = {}
        """The resources by name, for notes on them."""
        # Names and owners are checked in previews as well, so that they show what `up` would reject. Webhooks and CRDs
        # are not: those that the same `up` installs do not exist yet.
        told, waits = ToldOnce(), self.waits
        create, update = told.hook(self._before_create), told.hook(self._before_update)
        self.binding = pulumi.ResourceHookBinding(
            before_create=[resource_hook(f"{name}:preflight", create, waits=waits, on_dry_run=True)],
            before_update=[resource_hook(f"{name}:check-admission", update, waits=waits, on_dry_run=True)],
            before_delete=[before_delete_hook(name, self._tenancy, interrupt, self)],
        )
        """The hooks, for the options of each runtime."""

    async def _before_create(self, args: pulumi.ResourceHookArgs) -> None:
        if not self._tenancy.is_reached:
            return
        manifest = self._manifests[args.name]
        runtime = ObjectRef.of(manifest)
        there = await run_in_thread(require_free, runtime, self._tenancy, runtime.name in self._adopted)
        if pulumi.runtime.is_dry_run():
            if there:
                self._note_changes(args.name, there)
            return
        seen = [Seen.of(there, runtime.kind)] if there else []
        await self.ask(args.name)
        if seen:
            await run_in_thread(require_runtime_successor, self._tenancy.access, manifest)
            await run_in_thread(delete_and_wait, self._tenancy.access, seen, RELEASE_TIMEOUT, 1)

    async def _before_update(self, args: pulumi.ResourceHookArgs) -> None:
        runtime = ObjectRef.of(self._manifests[args.name])
        await run_in_thread(require_own, runtime, self._tenancy, args, runtime.name in self._adopted)
        if pulumi.runtime.is_dry_run():
            self._note_changes(args.name, args.old_inputs or {})
        else:
            await self.ask(args.name)

    def _note_changes(self, name: str, old: Mapping[str, Any]) -> None:
        """In a preview, say what changes for TrainJobs."""
        if lines := train_job_changes(old, self._manifests[name], self._trainer_version):
            text = "\n".join(("What changes for TrainJobs that are created after `up`:", *lines))
            pulumi.log.info(text, self.resources.get(name))

    async def ask(self, name: str) -> None:
        """Return when all checks of the runtime of a resource have passed. Raises PreflightError."""
        manifest = self._manifests[name]
        await self._admitted()
        for violation in await run_in_thread(self._waiting.violations, ObjectRef.of(manifest)):
            pulumi.log.warn(str(violation))
        await run_in_thread(self._keeping.require, [manifest])

    def successor(self, name: str) -> Mapping[str, Any] | None:
        """The runtime that replaces one that is being deleted, or None if it is removed."""
        return self._manifests.get(name) if name not in self.settled else None


def before_delete_hook(
    name: str, stack_context: StackContext, interrupt: bool = False, runtimes: RuntimeHooks | None = None
) -> pulumi.ResourceHook:
    """The hook that runs before a runtime is deleted, to remove or to replace it.

    One hook serves all runtimes: for a runtime removed from the program, the engine finds it by name.
    """

    async def before_delete(args: pulumi.ResourceHookArgs) -> None:
        runtime = ObjectRef.of(args.old_inputs or {})
        if await run_in_thread(require_own, runtime, stack_context, args, False) is None:
            return
        successor = runtimes.successor(args.name) if runtimes else None
        if runtimes and successor:
            await runtimes.ask(args.name)
            await run_in_thread(require_runtime_successor, stack_context.access, successor)
            await run_in_thread(delete_own, runtime, stack_context, args)
            return
        if not interrupt:
            await run_in_thread(require_unused, runtime, stack_context.access)
        await run_in_thread(delete_if_blocked, stack_context.access, runtime)

    return resource_hook(f"{name}:delete-blocked", before_delete, waits=runtimes.waits if runtimes else 0.0)


def require_free(runtime: ObjectRef, stack_context: StackContext, adopted: bool) -> Mapping[str, Any] | None:
    """The existing runtime that has this name and may be replaced, or None if the name is free. Raises PreflightError
    if someone else created it and it is not adopted, or if its owner is unknown.

    A runtime of this stack is one that a killed engine created without recording it. An existing runtime is replaced,
    because some of its fields are immutable and the provider does not create what exists.
    """
    there = _there(runtime, stack_context)
    if there is None:
        return None
    if not adopted and not is_owned_by(stack_context, there):
        name = runtime.name
        message = f"Runtime `{name}` already exists in the cluster, {describe_owner(there)}."
        fix = f"Set `runtimes: {{{name}: {{adopt: true}}}}` to replace it, or rename yours."
        raise PreflightError([Violation("OPR-08", f"runtimes.{name}", message, fix)])
    return there


def delete_own(runtime: ObjectRef, stack_context: StackContext, args: pulumi.ResourceHookArgs) -> None:
    """Delete the runtime that is replaced, with its uid and resourceVersion as preconditions, and wait until it is
    gone. The engine's own deletion has no preconditions. A runtime that changes meanwhile is checked again. Raises
    PreflightError, ClusterReadError."""
    for left in reversed(range(MAX_DELETE_ATTEMPTS)):
        seen = require_own(runtime, stack_context, args, False)
        try:
            delete_and_wait(stack_context.access, [seen] if seen else [], RELEASE_TIMEOUT, 1)
            return
        except ObjectChangedError:
            if not left:
                raise


def require_own(
    runtime: ObjectRef, stack_context: StackContext, args: pulumi.ResourceHookArgs, adopted: bool
) -> Seen | None:
    """The existing runtime, or None. Raises PreflightError if it belongs to someone else by now, or if that is
    unknown."""
    there = _there(runtime, stack_context)
    uid = ((args.old_outputs or {}).get("metadata") or {}).get("uid")
    if there is not None and not adopted and not is_owned_by(stack_context, there, uid):
        message = f"{runtime} is in this stack's state, but in the cluster it is {describe_owner(there)}."
        fix = f"Leave it to its owner with `pulumi state delete '{args.urn}'`, or rename yours."
        raise PreflightError([Violation("OPR-13", f"runtimes.{runtime.name}", message, fix)])
    return Seen.of(there, runtime.kind) if there is not None else None


def _there(runtime: ObjectRef, stack_context: StackContext) -> Mapping[str, Any] | None:
    try:
        return stack_context.access.get(runtime.path)
    except ClusterReadError as error:
        message = f"{runtime} was not changed, because its owner could not be checked: {error}."
        fix = "Fix the connection or request the missing read access, and run this again."
        raise PreflightError([Violation("OPR-07", f"runtimes.{runtime.name}", message, fix)]) from error


def require_runtime_successor(access: ClusterClient, manifest: Mapping[str, Any]) -> None:
    """Raise PreflightError unless the API server would create the runtime. The existing runtime is kept then."""
    runtime = ObjectRef.of(manifest)
    collection = collection_path(runtime.kind, runtime.namespace)
    require_successor(access, collection, manifest, str(runtime), f"runtimes.{runtime.name}")
