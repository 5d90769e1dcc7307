"""A GPU node pool of EKS: its spec and its checks."""

from collections.abc import Iterator

from ...validation.violation import Violation
from ..aws.checks import check_aws_pool
from .checks import check_eks_pool
from .spec import EksSpec


class EksPool(EksSpec):
    """A managed node group of EKS with its own launch template, in an existing cluster."""

    def violations(self) -> Iterator[Violation]:
        """Adds the checks of AWS and EKS."""
        yield from super().violations()
        yield from check_aws_pool(self)
        yield from check_eks_pool(self)
