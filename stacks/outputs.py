"""What a stack exports, for people and for other stacks."""

from typing import Any, Self

from pydantic import Field

from components.operators.chart import OperatorChart
from components.runtimes.placement import Placement
from components.validation.model import FrozenList, StrictModel


class OperatorExport(StrictModel):
    """An operator that a stack has installed."""

    version: str
    """Version of its chart."""

    namespace: str
    """Namespace that it runs in."""

    @classmethod
    def of(cls, operator: OperatorChart | None) -> Self | None:
        """What is to be said of an operator, if there is one."""
        return cls(version=operator.spec.version, namespace=operator.spec.namespace) if operator else None


class Exports(StrictModel):
    """The outputs of a stack, by name. Plain values, all known in a preview; no secret is among them.

    A layer that a stack does not have is absent.
    """

    gpu_node_pools: dict[str, Placement] = Field(default_factory=dict)
    """By the pool's name, what pods need to land there and what they find."""

    jobset: OperatorExport | None = None
    """JobSet."""

    trainer: OperatorExport | None = None
    """Kubeflow Trainer."""

    runtimes: FrozenList[str] = ()
    """Names of the runtimes, for TrainJobs to refer to."""

    def outputs(self) -> dict[str, Any]:
        """As the engine takes them."""
        dumped = self.model_dump(mode="json", by_alias=True, exclude_none=True)
        return {name: value for name, value in dumped.items() if value}
