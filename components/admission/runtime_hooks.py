"""What is looked at before runtimes are created, changed, replaced or removed.

Whatever is deleted, by a hook or by the provider, is deleted after everything that is asked about its successor is
answered: whose the old one is, versions, webhooks, rights, fields that CRDs drop. Where that cannot be asked the old
one stays.
"""

from collections.abc import Collection, Mapping
from typing import Any

import pulumi

from ..cluster.client import ClusterClient, ClusterReadError
from ..cluster.context import StackContext
from ..cluster.hook_error import PreflightError
from ..cluster.objects import ObjectRef, collection_path
from ..cluster.ownership import describe_owner, is_owned_by
from ..cluster.threads import run_in_thread
from ..operators.finalizers import RELEASE_TIMEOUT, Seen, delete_and_wait, delete_if_blocked
from ..validation.violation import Violation
from .checks import AdmissionCheck
from .field_pruning import FieldPruningCheck
from .probes import PROBE_NAME
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
        """Registers the hooks.

        Args:
            name: Name of the component.
            manifests: The runtimes by the names of their resources.
            adopted: Names of runtimes that may be in the cluster already, created by others.
            admission: Which operators are asked.
            keeping: What was asked about fields in this run.
            interrupt: Whether a runtime may be removed while unfinished TrainJobs name it.
        """
        self._manifests, self._adopted, self._keeping = manifests, adopted, pruning_check
        self._tenancy = admission.tenancy
        self._waiting = SuspendedTrainJobs(self._tenancy.access)
        self._admitted = admission.run_once()
        self.settled: set[str] = set()
        """Names of resources that the engine has answered for: one that is deleted after that is not replaced."""
        # Names and owners are looked at in previews as well: what `up` would refuse, they show. Webhooks and CRDs are
        # not: those that come in the same `up` are not there yet.
        shown, told = pulumi.ResourceHookOptions(on_dry_run=True), ToldOnce()
        self.binding = pulumi.ResourceHookBinding(
            before_create=[pulumi.ResourceHook(f"{name}:preflight", told.hook(self._before_create), shown)],
            before_update=[pulumi.ResourceHook(f"{name}:check-admission", told.hook(self._before_update), shown)],
            before_delete=[before_delete_hook(name, self._tenancy, interrupt, self)],
        )
        """What the options of each runtime take."""

    async def _before_create(self, args: pulumi.ResourceHookArgs) -> None:
        if not self._tenancy.is_reached:
            return
        manifest = self._manifests[args.name]
        runtime = ObjectRef.of(manifest)
        there = await run_in_thread(require_free, runtime, self._tenancy, runtime.name in self._adopted)
        if pulumi.runtime.is_dry_run():
            return
        await self.ask(args.name)
        if there:
            await run_in_thread(require_successor, self._tenancy.access, manifest)
            await run_in_thread(delete_and_wait, self._tenancy.access, [there], RELEASE_TIMEOUT, 1)

    async def _before_update(self, args: pulumi.ResourceHookArgs) -> None:
        runtime = ObjectRef.of(self._manifests[args.name])
        await run_in_thread(require_own, runtime, self._tenancy, args, runtime.name in self._adopted)
        if not pulumi.runtime.is_dry_run():
            await self.ask(args.name)

    async def ask(self, name: str) -> None:
        """Returns when everything that is asked about the runtime of a resource is answered rightly."""
        manifest = self._manifests[name]
        await self._admitted()
        for violation in await run_in_thread(self._waiting.violations, ObjectRef.of(manifest)):
            pulumi.log.warn(str(violation))
        await run_in_thread(self._keeping.require, [manifest])

    def successor(self, name: str) -> Mapping[str, Any] | None:
        """The runtime that takes the place of one that is being deleted. None: it is removed."""
        return self._manifests.get(name) if name not in self.settled else None


def before_delete_hook(
    name: str, tenancy: StackContext, interrupt: bool = False, runtimes: RuntimeHooks | None = None
) -> pulumi.ResourceHook:
    """The hook that runs before a runtime is removed, or deleted to be replaced.

    It serves every runtime: the engine looks it up by its name when one goes of which the program knows no more.
    """

    async def before_delete(args: pulumi.ResourceHookArgs) -> None:
        runtime = ObjectRef.of(args.old_inputs or {})
        if not await run_in_thread(require_own, runtime, tenancy, args, False):
            return
        successor = runtimes.successor(args.name) if runtimes else None
        if runtimes and successor:
            await runtimes.ask(args.name)
            await run_in_thread(require_successor, tenancy.access, successor)
        elif not interrupt:
            await run_in_thread(require_unused, runtime, tenancy.access)
        await run_in_thread(delete_if_blocked, tenancy.access, runtime)

    return pulumi.ResourceHook(f"{name}:delete-blocked", before_delete)


def require_free(runtime: ObjectRef, tenancy: StackContext, adopted: bool) -> Seen | None:
    """What has a runtime's name in the cluster and may be replaced by it; nothing where the name is free. Raises
    PreflightError where another created it and it is not adopted, or where that is unknown.

    It is one of others that is adopted, or this stack's own, created by an engine that was killed before it wrote that
    down. It is replaced, since the API server lets parts of it be changed only so, and no provider creates what exists.
    """
    there = _there(runtime, tenancy)
    if there is None:
        return None
    if not adopted and not is_owned_by(tenancy, there):
        name = runtime.name
        message = f"There is a runtime `{name}` in the cluster already, {describe_owner(there)}. It would be replaced."
        fix = f"Write `runtimes: {{{name}: {{adopt: true}}}}` to replace it, or give yours another name."
        raise PreflightError([Violation("OPR-08", f"runtimes.{name}", message, fix)])
    return Seen.of(there, runtime.kind)


def require_own(runtime: ObjectRef, tenancy: StackContext, args: pulumi.ResourceHookArgs, adopted: bool) -> bool:
    """Whether the runtime of a step is there. Raises PreflightError where it is someone else's by now, or where that is
    unknown."""
    there = _there(runtime, tenancy)
    uid = ((args.old_outputs or {}).get("metadata") or {}).get("uid")
    if there is not None and not adopted and not is_owned_by(tenancy, there, uid):
        message = f"{runtime} is in this stack's state, but in the cluster it is {describe_owner(there)}."
        fix = f"Leave it to its owner: `pulumi state delete '{args.urn}'`. Or give yours another name."
        raise PreflightError([Violation("OPR-13", f"runtimes.{runtime.name}", message, fix)])
    return there is not None


def _there(runtime: ObjectRef, tenancy: StackContext) -> Mapping[str, Any] | None:
    try:
        return tenancy.access.get(runtime.path)
    except ClusterReadError as error:
        message = f"{runtime} was not changed, since its owner is unknown: {error}."
        fix = "Make the API server answer, or ask for the right to get it, and run this again."
        raise PreflightError([Violation("OPR-07", f"runtimes.{runtime.name}", message, fix)]) from error


def require_successor(access: ClusterClient, manifest: Mapping[str, Any]) -> None:
    """Returns when the API server would create a runtime, as a dry run under another name tells. Raises PreflightError:
    the runtime that has its name stays then."""
    runtime = ObjectRef.of(manifest)
    asked = {**manifest, "metadata": {**manifest["metadata"], "name": PROBE_NAME}}
    try:
        answer = access.call("POST", collection_path(runtime.kind, runtime.namespace), asked, dry_run=True)
        why = None if answer.ok else answer.message
    except ClusterReadError as error:
        why = str(error)
    if why:
        message = f"{runtime} was not replaced, since its successor would not be created: {why}."
        fix = "Correct the runtime, or remove what refuses it, and run this again. The one that is there stays."
        raise PreflightError([Violation("OPR-17", f"runtimes.{runtime.name}", message, fix)])
