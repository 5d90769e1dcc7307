"""What is looked at before runtimes are made, changed or removed."""

from collections.abc import Collection, Mapping
from typing import Any

import pulumi

from .admission import Admission
from .api_objects import ApiObject
from .cluster_access import NoAnswer
from .finalizers import PATIENCE, delete, letting_go
from .hook_threads import in_a_thread
from .presence import is_of, owner_of
from .pruning import Keeping
from .tenancy import Tenancy
from .told_once import ToldOnce
from .veto import Veto
from .violation import Violation
from .waiting_jobs import WaitingJobs

TAKEN = "OPR-08"


def runtime_hooks(
    name: str,
    manifests: Mapping[str, Mapping[str, Any]],
    adopted: Collection[str],
    admission: Admission,
    keeping: Keeping,
) -> pulumi.ResourceHookBinding:
    """The hooks that all runtimes share: a name is free, webhooks answer, who waits for one is told, nothing of it is
    dropped; a finalizer is off.

    `manifests` are the runtimes by the names of their resources, `name` is that of the component.
    """
    tenancy = admission.tenancy
    waiting = WaitingJobs(tenancy.access)
    admitted = admission.asked_once()

    async def ask(args: pulumi.ResourceHookArgs) -> None:
        manifest = manifests[args.name]
        await admitted()
        for finding in await in_a_thread(waiting.findings, ApiObject.of(manifest)):
            pulumi.log.warn(str(finding))
        await in_a_thread(keeping.require, [manifest])

    async def enter(args: pulumi.ResourceHookArgs) -> None:
        runtime, preview = ApiObject.of(manifests[args.name]), pulumi.runtime.is_dry_run()
        await in_a_thread(make_room, runtime, tenancy, runtime.name in adopted, preview)
        if not preview:
            await ask(args)

    # A name is looked at in previews as well: what `up` would refuse, they show. Webhooks and CRDs are not: those that
    # come in the same `up` are not there yet.
    told = ToldOnce()
    entering = pulumi.ResourceHook(f"{name}:enter", told.hook(enter), pulumi.ResourceHookOptions(on_dry_run=True))
    asking = pulumi.ResourceHook(f"{name}:ready", told.hook(ask))
    return pulumi.ResourceHookBinding(
        before_create=[entering], before_update=[asking], before_delete=[letting_go(name, tenancy)]
    )


def make_room(runtime: ApiObject, tenancy: Tenancy, adopted: bool, preview: bool) -> None:
    """Returns when no runtime of that name is there. Raises Veto when another made one and it is not adopted.

    One that may be taken over is deleted: where it differs in what the API server does not let change it could not be
    updated, and no provider creates what exists. It is one of others that is adopted, or this stack's own, made by an
    engine that was killed before it wrote that down.
    """
    try:
        there = tenancy.access.get(runtime.path)
    except NoAnswer:  # then making it says so too, and better
        return
    if there is None:
        return
    if not adopted and not is_of(tenancy.owner, there):
        name = runtime.name
        message = f"There is a runtime `{name}` in the cluster already, {owner_of(there)}. It would be replaced."
        fix = f"Write `runtimes: {{{name}: {{adopt: true}}}}` to replace it, or give yours another name."
        raise Veto([Violation(TAKEN, f"runtimes.{name}", message, fix)])
    if not preview:
        delete(tenancy.access, [runtime], PATIENCE)
