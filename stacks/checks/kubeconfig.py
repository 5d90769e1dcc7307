"""Checks the kubeconfig of a stack."""

from components.cluster.kubeconfig import KubeconfigError, read_context
from components.validation.violation import Violation


class UnreachableClusterError(ValueError):
    """Raised when a kubeconfig does not lead to an API server."""

    def __init__(self, path: str, message: str, fix: str) -> None:
        self.violation = Violation("STK-05", path, message, fix)
        """The reason and the fix, at the key of the stack file."""
        super().__init__(str(self.violation))


def check_context(context: str, kubeconfig: str | None) -> None:
    """Raises UnreachableClusterError if a context of a kubeconfig does not lead to an API server.

    Without a path, the kubeconfig is `$KUBECONFIG` or `~/.kube/config`.
    """
    try:
        read_context(context, kubeconfig)
    except KubeconfigError as error:
        raise UnreachableClusterError(f"cluster.{error.key}", str(error), error.fix) from None
