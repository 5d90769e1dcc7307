"""How a stack reaches its cluster: providers for its resources, and the API for what no resource says."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import pulumi_kubernetes as kubernetes

from components.cluster.client import ClusterClient

from .settings.cluster import AnyTarget, ContextCluster, RenderedCluster, StackCluster
from .stack_references import StackReferences


@dataclass(frozen=True)
class Connection:
    """The way to a target."""

    arguments: Mapping[str, Any]
    """Of every provider."""

    access: ClusterClient | None
    """The cluster's API. None: manifests go to a folder, and there is no cluster to check."""

    is_known: bool = True
    """Whether it is known where that is: not in a preview of a stack whose cluster does not exist yet."""

    @classmethod
    async def to(cls, target: AnyTarget, others: StackReferences) -> Self:
        """The way there; the kubeconfig of another stack is read on it."""
        match target:
            case ContextCluster():
                return cls(target.access.provider_arguments, target.access)
            case StackCluster(context=context):
                exported = others.kubeconfig(target.stack, target.output)
                # Not known in a preview of a stack whose cluster is yet to come; `{}` leads nowhere, and says so.
                content = await exported.future()
                access = ClusterClient(context, content or "{}")
                # As an output it stays a secret.
                return cls({**access.provider_arguments, "kubeconfig": exported}, access, bool(content))
            case RenderedCluster(render_to=folder):
                # An empty kubeconfig keeps $KUBECONFIG out, which the provider refuses beside a folder.
                rendering = {"kubeconfig": "", "render_yaml_to_directory": folder, "always_render": True}
                return cls(rendering, None)

    def provider(self, name: str, **more: Any) -> kubernetes.Provider:
        """A provider of resources there."""
        return kubernetes.Provider(name, **self.arguments, **more)
