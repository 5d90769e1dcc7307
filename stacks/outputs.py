"""The outputs of a stack."""

from typing import Any, Self

from pydantic import Field

from components.operators.chart import OperatorChart
from components.runtimes.placement import Placement
from components.validation.model import FrozenList, StrictModel


class OperatorExport(StrictModel):
    """An operator that a stack installs."""

    version: str
    """Version of its chart."""

    namespace: str
    """Namespace of the operator."""

    @classmethod
    def of(cls, operator: OperatorChart | None) -> Self | None:
        """The export of an operator. None if the stack does not install it."""
        return cls(version=operator.spec.version, namespace=operator.spec.namespace) if operator else None


class Exports(StrictModel):
    """The outputs of a stack by name: plain values, known in previews, without secrets.

    A layer that the stack does not have is left out.
    """

    gpu_node_pools: dict[str, Placement] = Field(default_factory=dict)
    """Placements by the name of the pool: what pods need to be scheduled there, and the resources of a node."""

    jobset: OperatorExport | None = None
    """JobSet, if this stack installs it."""

    trainer: OperatorExport | None = None
    """Kubeflow Trainer, if this stack installs it."""

    runtimes: FrozenList[str] = ()
    """Names of the runtimes, which TrainJobs refer to."""

    def outputs(self) -> dict[str, Any]:
        """The outputs as Pulumi takes them, in camelCase."""
        dumped = self.model_dump(mode="json", by_alias=True, exclude_none=True)
        return {name: value for name, value in dumped.items() if value}
