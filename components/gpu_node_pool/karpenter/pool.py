"""A GPU node pool of Karpenter: its spec and its checks."""

from collections.abc import Iterator

from ...validation.violation import Violation
from ..aws.checks import check_aws_pool
from .checks import check_karpenter_pool
from .spec import KarpenterSpec


class KarpenterPool(KarpenterSpec):
    """Nodes that Karpenter creates for pending pods and deletes when they are empty, in a cluster that runs it."""

    def violations(self) -> Iterator[Violation]:
        """Adds the checks of AWS and Karpenter."""
        yield from super().violations()
        yield from check_aws_pool(self)
        yield from check_karpenter_pool(self)
