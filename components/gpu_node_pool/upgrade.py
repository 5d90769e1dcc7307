"""How a cloud upgrades the nodes of a pool."""

from collections.abc import Iterator

from pydantic import Field

from ..validation.model import StrictModel
from ..validation.violation import Violation


class Upgrade(StrictModel):
    """How many nodes are upgraded at the same time, with or without spare nodes. The default needs no additional
    GPUs."""

    max_surge: int = Field(default=0, ge=0)
    """Nodes that are created in addition to the pool's size before old ones are deleted. Default 0, because spare GPUs
    are rarely available."""

    max_unavailable: int = Field(default=1, ge=0)
    """Nodes that may be unavailable at the same time. Default 1."""

    def violations(self) -> Iterator[Violation]:
        """Yield numbers with which no node could be upgraded."""
        if not self.max_surge and not self.max_unavailable:
            message = "maxSurge and maxUnavailable are both 0, so no node could be upgraded."
            yield Violation("POOL-08", "upgrade.maxUnavailable", message, "Set it to 1, which needs no spare GPUs.")
