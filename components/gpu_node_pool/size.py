"""The number of nodes of a pool."""

from collections.abc import Iterator

from pydantic import Field

from ..validation.model import StrictModel
from ..validation.violation import Violation


class Size(StrictModel):
    """Numbers of nodes, over all zones or subnets. If `min` and `max` differ, an autoscaler decides."""

    min: int = Field(default=0, ge=0)
    """Minimum. Default 0, which costs nothing without work."""

    max: int = Field(ge=1)
    """Maximum."""

    desired: int | None = Field(default=None, ge=0)
    """Initial number. Afterwards the autoscaler sets it. Default: `min`."""

    @property
    def initial(self) -> int:
        """The initial number."""
        return self.min if self.desired is None else self.desired

    @property
    def autoscaled(self) -> bool:
        """Whether `min` and `max` differ."""
        return self.min < self.max

    def violations(self) -> Iterator[Violation]:
        """Yield contradicting numbers."""
        if self.min > self.max:
            message = f"min is {self.min}, more than max, which is {self.max}."
            yield Violation("POOL-03", "size.min", message, f"Set {self.max} or less, or raise max.")
        elif not self.min <= self.initial <= self.max:
            message = f"desired is {self.desired}, but the pool has {self.min} to {self.max} nodes."
            yield Violation("POOL-03", "size.desired", message, f"Set {self.min} to {self.max}, or remove it.")
