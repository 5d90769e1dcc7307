"""A pool of existing nodes: its spec and its checks."""

from collections.abc import Iterator

from ...validation.violation import Violation
from .checks import check_existing_pool
from .spec import ExistingSpec


class ExistingPool(ExistingSpec):
    """Existing nodes, created by someone else and referred to by name. Nodes that an autoscaler creates have other
    names; whoever creates them must label and taint them."""

    def violations(self) -> Iterator[Violation]:
        """Adds the checks of existing nodes."""
        yield from super().violations()
        yield from check_existing_pool(self)
