"""Pools whose spec declares the number of GPUs per node."""

from collections.abc import Iterator
from decimal import Decimal

from pydantic import Field

from ..k8s.quantities import amount
from ..validation.violation import Violation
from .base import Pool
from .machines import Machine

MILLI, GIB = Decimal("0.001"), Decimal(1024**3)


class StaticPool(Pool):
    """Nodes whose number of GPUs must be declared."""

    gpus_per_node: int = Field(ge=1)
    """Number of GPUs of one node."""

    @property
    def machine(self) -> Machine:
        """The hardware of one node, as far as the spec states it."""
        return Machine(gpus=self.gpus_per_node)

    def violations(self) -> Iterator[Violation]:
        """Adds checks for impossible amounts."""
        yield from super().violations()
        for key, said, least in (("cpu", self.cpu_per_node, MILLI), ("memory", self.memory_per_node, GIB)):
            if said is not None and amount(said) < least:
                message = f"A node cannot have {key} of {said}."
                yield Violation("POOL-17", key, message, "Add the unit: `96`, `190500m`, `1900Gi`.")
