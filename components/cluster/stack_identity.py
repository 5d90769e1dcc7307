"""What a stack remembers in its state from its first `up` on: its own id, and the cluster that it belongs to.

A `pulumi.Stash` keeps the first value that it is given, is written to the state before anything else is created, and
needs no provider. Its input is ignored from then on, so that it is never a difference. Facts: pulumi 3.274.1,
pkg/resource/deploy/builtins.go: an update leaves `output` as it was.
"""

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pulumi

NAME = "stack"
"""Name of the resource that keeps it."""


@dataclass(frozen=True)
class StackIdentity:
    """What tells a stack from every other, and its cluster from every other."""

    id: str
    """The stack's id: a random UUID."""

    cluster: str | None
    """Uid of the namespace kube-system of the cluster that the stack belongs to. None: it is not known yet, in a
    preview of a stack whose cluster does not exist."""

    keeper: pulumi.Resource | None
    """The resource that keeps it. Providers depend on it, so that a destroy which stops half-way still has it. None in
    a destroy or a refresh of a stack whose state has none: the engine creates nothing then."""


async def remember(cluster: str | None) -> StackIdentity:
    """The identity that the state has, or a new one, which the state has from now on.

    Args:
        cluster: Uid of the namespace kube-system of the cluster that answers. None: not known yet.
    """
    new = {"id": str(uuid4()), "cluster": cluster}
    stash = pulumi.Stash(NAME, input=new, opts=pulumi.ResourceOptions(ignore_changes=["input"]))
    kept: dict[str, Any] | None = await stash.output.future()
    if kept is None:
        return StackIdentity(new["id"] or "", cluster, None)
    return StackIdentity(kept["id"], kept.get("cluster") or cluster, stash)
