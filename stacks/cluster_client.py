"""The client of a stack's cluster, for commands."""

from components.cluster.client import ClusterClient

from .settings.cluster import ContextCluster
from .settings.resolve import ResolvedStack


def client_of(stack: ResolvedStack) -> ClusterClient | None:
    """A client of the cluster that the stack file names. None: it names no context of a kubeconfig."""
    if not isinstance(stack.cluster, ContextCluster):
        return None
    return ClusterClient(stack.cluster.context, stack.cluster.kubeconfig)
