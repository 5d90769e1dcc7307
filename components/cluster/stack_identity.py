"""What a stack keeps in its state from its first `up` on: its id, and the cluster that it belongs to.

A `pulumi.Stash` keeps the first value that it gets, is written to the state before anything else is created, and needs
no provider. Its input is ignored afterwards, so it never shows as a difference. Facts: pulumi 3.274.1,
pkg/resource/deploy/builtins.go: an update keeps `output`.
"""

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pulumi


@dataclass(frozen=True)
class StackIdentity:
    """The identity of a stack and of its cluster."""

    id: str
    """The stack's id: a random UUID."""

    cluster: str | None
    """Uid of the namespace kube-system of the stack's cluster. None: unknown, in a preview of a stack whose cluster
    does not exist yet."""

    keeper: pulumi.Resource | None
    """The resource that keeps it. Providers depend on it, so that it is still there after a destroy that stops
    half-way. None in a destroy or refresh of a stack without one in its state, because the engine creates nothing
    then."""


async def remember(name: str, cluster: str | None, parent: pulumi.Resource | None = None) -> StackIdentity:
    """The identity in the state, or a new one, which is then kept in the state.

    Args:
        name: Name of the resource that keeps it.
        cluster: Uid of the namespace kube-system of the cluster. None: unknown.
        parent: The component that it belongs to. Default: the stack.
    """
    new = {"id": str(uuid4()), "cluster": cluster}
    options = pulumi.ResourceOptions(parent=parent, ignore_changes=["input"])
    stash = pulumi.Stash(name, input=new, opts=options)
    kept: dict[str, Any] | None = await stash.output.future()
    if kept is None:
        return StackIdentity(new["id"] or "", cluster, None)
    return StackIdentity(kept["id"], kept.get("cluster") or cluster, stash)
