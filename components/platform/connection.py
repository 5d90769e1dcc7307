"""How a target is reached: the arguments of its providers and the client of its hooks, both from one kubeconfig."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import pulumi

from ..cluster.client import ClusterClient
from ..validation.violation import Violation
from .target import Target

EMPTY_KUBECONFIG = "{}"
"""The kubeconfig of a cluster whose own kubeconfig is not known yet: every question about it fails."""


@dataclass(frozen=True)
class Connection:
    """The way to a target."""

    arguments: Mapping[str, Any]
    """Arguments of every provider."""

    access: ClusterClient | None
    """The cluster's API. None: manifests go to a folder, and there is no cluster to ask."""

    is_known: bool = True
    """Whether the kubeconfig is known. It is not in a preview of a program that creates the cluster."""

    @classmethod
    async def resolve(cls, target: Target) -> Self:
        """The way there. A kubeconfig that is an Output is awaited.

        Raises the target's error where the kubeconfig is empty: a provider with an empty one would use the ambient
        kubeconfig instead.
        """
        if target.render_to is not None:
            # An empty kubeconfig keeps $KUBECONFIG out, which the provider refuses beside a folder.
            rendering = {"kubeconfig": "", "render_yaml_to_directory": target.render_to, "always_render": True}
            return cls(rendering, None)
        context, has_context = await _resolve(target.context)
        kubeconfig, has_kubeconfig = await _resolve(target.kubeconfig)
        if not (has_context and has_kubeconfig):
            access = ClusterClient(context, EMPTY_KUBECONFIG)
            return cls({"kubeconfig": target.kubeconfig or "", "context": target.context}, access, is_known=False)
        empty = [
            Violation("STK-05", key, f"`{key}` is empty, so it names no cluster.", f"Set `{key}`.")
            for key, given, value in (
                (target.keys.context, target.context, context),
                (target.keys.kubeconfig, target.kubeconfig, kubeconfig),
            )
            if given is not None and not value
        ]
        if empty:
            raise target.error(empty)
        access = ClusterClient(context, kubeconfig)
        # As an Output the kubeconfig stays a secret, and its provider depends on what created it.
        given = {"kubeconfig": target.kubeconfig} if target.kubeconfig is not None else {}
        return cls({**access.provider_arguments, **given}, access)


async def _resolve(value: pulumi.Input[str] | None) -> tuple[str | None, bool]:
    """A value, and whether it is known."""
    if value is None or isinstance(value, str):
        return value, True
    output: pulumi.Output[str] = pulumi.Output.from_input(value)
    return await output.future(), await output.is_known()
