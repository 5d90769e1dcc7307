"""A pool of simulated nodes."""

from typing import Literal

from pydantic import Field

from ...k8s.base import Quantity
from ..nodes import StaticPool
from ..taint import GPU_TAINT, Taint


class SimulatedPool(StaticPool):
    """Nodes that exist only as objects: kwok simulates their kubelets. For the local environment."""

    provider: Literal["simulated"]

    nodes: int = Field(ge=1, le=1000)
    """Number of nodes."""

    cpu: Quantity = "64"
    """CPUs of one node."""

    memory: Quantity = "512Gi"
    """Memory of one node."""

    pods: int = Field(default=110, ge=1)
    """Maximum number of pods on one node."""

    @property
    def node_taints(self) -> tuple[Taint, ...]:
        """The GPU taint."""
        return (GPU_TAINT,)

    @property
    def cpu_per_node(self) -> Quantity:
        """All CPUs of a node."""
        return self.cpu

    @property
    def memory_per_node(self) -> Quantity:
        """The whole memory of a node."""
        return self.memory

    @property
    def max_nodes(self) -> int:
        """The number of nodes."""
        return self.nodes
