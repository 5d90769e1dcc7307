"""A pool of simulated nodes."""

from typing import Literal

from pydantic import Field

from ...k8s.base import Quantity
from ..nodes import StaticPool
from ..taint import GPU_TAINT, Taint


class SimulatedPool(StaticPool):
    """Nodes that exist as objects only: kwok plays their kubelet. For the local environment."""

    provider: Literal["simulated"]

    nodes: int = Field(ge=1, le=1000)
    """How many."""

    cpu: Quantity = "64"
    """CPUs of one node."""

    memory: Quantity = "512Gi"
    """Memory of one node."""

    pods: int = Field(110, ge=1)
    """Pods that fit on one node."""

    @property
    def node_taints(self) -> tuple[Taint, ...]:
        """The GPU taint."""
        return (GPU_TAINT,)

    @property
    def cpu_per_node(self) -> Quantity:
        """All of it."""
        return self.cpu

    @property
    def memory_per_node(self) -> Quantity:
        """All of it."""
        return self.memory

    @property
    def max_nodes(self) -> int:
        """As many as there are."""
        return self.nodes
