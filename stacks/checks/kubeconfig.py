"""What is wrong with the way to a stack's cluster, in the stack file's own keys."""

from components.cluster.kubeconfig import KubeconfigError, read_context
from components.validation.violation import Violation


class UnreachableClusterError(ValueError):
    """Raised when a kubeconfig does not lead to an API server."""

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
