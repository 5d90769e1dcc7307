"""How many nodes a pool has."""

from collections.abc import Iterator

from pydantic import Field

from ..validation.model import StrictModel
from ..validation.violation import Violation


class Size(StrictModel):
    """Numbers of nodes: totals, over all zones or subnets. Where `min` and `max` differ, an autoscaler decides."""

    min: int = Field(0, ge=0)
    """Fewest. Default 0: no work, no cost."""

    max: int = Field(ge=1)
    """Most."""

    desired: int | None = Field(None, ge=0)
    """How many the pool starts with; afterwards the autoscaler's. Default: `min`."""

    @property
    def initial(self) -> int:
        """How many the pool starts with."""
        return self.min if self.desired is None else self.desired

    @property
    def autoscaled(self) -> bool:
        """Whether there is anything to decide for an autoscaler."""
        return self.min < self.max

    def violations(self) -> Iterator[Violation]:
        """Numbers that contradict each other."""
        if self.min > self.max:
            message = f"min is {self.min}, more than max, which is {self.max}."
            yield Violation("POOL-03", "size.min", message, f"Write {self.max} or less, or raise max.")
        elif not self.min <= self.initial <= self.max:
            message = f"desired is {self.desired}, but the pool has {self.min} to {self.max} nodes."
            yield Violation("POOL-03", "size.desired", message, f"Write {self.min} to {self.max}, or take it out.")
