"""How a cloud renews the nodes of a pool."""

from collections.abc import Iterator

from pydantic import Field

from ..validation.model import StrictModel
from ..validation.violation import Violation


class Upgrade(StrictModel):
    """How many nodes at once, and with or without spare ones. The default needs no GPUs beyond the pool's own."""

    max_surge: int = Field(0, ge=0)
    """Nodes made beyond the pool's size before old ones go. Default 0: spare GPUs are seldom to be had."""

    max_unavailable: int = Field(1, ge=0)
    """Nodes that are away at once. Default 1."""

    def violations(self) -> Iterator[Violation]:
        """Numbers with which no node would ever be renewed."""
        if not self.max_surge and not self.max_unavailable:
            message = "maxSurge and maxUnavailable are both 0: no node could ever be renewed."
            yield Violation("POOL-08", "upgrade.maxUnavailable", message, "Write 1, which needs no spare GPUs.")
