"""What is wrong with the way to a stack's cluster, in the stack file's own keys."""

from components.cluster.client import ClusterClient, ClusterReadError
from components.cluster.kubeconfig import KubeconfigError, read_context
from components.validation.violation import Violation


class UnreachableClusterError(ValueError):
    """Raised when a kubeconfig does not lead to an API server, or none answers there."""

    def __init__(self, path: str, message: str, fix: str) -> None:
        self.violation = Violation("STK-05", path, message, fix)
        """Why, and what to do about it."""
        super().__init__(str(self.violation))


def check_context(context: str, kubeconfig: str | None) -> None:
    """Returns when a context of a kubeconfig leads to an API server. Raises UnreachableClusterError.

    Without a path the kubeconfig is what `$KUBECONFIG` says, else `~/.kube/config`.
    """
    try:
        read_context(context, kubeconfig)
    except KubeconfigError as error:
        raise UnreachableClusterError(f"cluster.{error.key}", str(error), error.fix) from None


def require_reachable(access: ClusterClient) -> None:
    """Returns when an API server answers, whatever it says: it is asked the way hooks ask it. Raises
    UnreachableClusterError."""
    try:
        access.call("GET", "/version")
    except ClusterReadError as error:
        raise UnreachableClusterError(
            "cluster.context",
            f"No API server answers for context `{access.context}`: {error}.",
            "Start the cluster or the tunnel to it, or set another context.",
        ) from None
