"""What is looked at before a runtime is made, changed or removed."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import pulumi

from .admission import Admission
from .api_objects import ApiObject
from .cluster_access import NoAnswer
from .finalizers import PATIENCE, delete, letting_go
from .presence import is_of, owner_of
from .pruning import require_kept
from .tenancy import Tenancy
from .veto import Veto
from .violation import Violation
from .waiting_jobs import change_findings

TAKEN = "OPR-08"


@dataclass(frozen=True)
class RuntimeHooks:
    """The hooks of a component's runtimes."""

    tenancy: Tenancy
    """The cluster, and whose the runtimes are."""

    ready: pulumi.ResourceHook
    """Of all of them: returns when webhooks answer."""

    let_go: pulumi.ResourceHook
    """Of all of them: takes the finalizer off one that goes."""

    @classmethod
    def registered(cls, name: str, admission: Admission) -> Self:
        """Those of the component of that name."""
        tenancy = admission.tenancy
        return cls(tenancy, admission.hook(f"{name}:ready"), letting_go(name, tenancy))

    def of(self, manifest: Mapping[str, Any], adopted: bool) -> pulumi.ResourceHookBinding:
        """The hooks of one runtime: its name is free, webhooks answer, who waits for it is told, nothing of it is
        dropped; its finalizer is off."""
        runtime, tenancy = ApiObject.of(manifest), self.tenancy

        async def enter(_: pulumi.ResourceHookArgs) -> None:
            await asyncio.to_thread(make_room, runtime, tenancy, adopted, pulumi.runtime.is_dry_run())

        async def ask(_: pulumi.ResourceHookArgs) -> None:
            for finding in await asyncio.to_thread(change_findings, runtime, tenancy.access):
                pulumi.log.warn(str(finding))
            await asyncio.to_thread(require_kept, [manifest], tenancy.access)

        # In previews as well: what `up` would refuse, they show.
        entering = pulumi.ResourceHook(f"{runtime.path}:enter", enter, pulumi.ResourceHookOptions(on_dry_run=True))
        # Not in previews: CRDs that come in the same `up` are not there yet.
        asking = [self.ready, pulumi.ResourceHook(f"{runtime.path}:kept", ask)]
        return pulumi.ResourceHookBinding(
            before_create=[entering, *asking], before_update=[*asking], before_delete=[self.let_go]
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
