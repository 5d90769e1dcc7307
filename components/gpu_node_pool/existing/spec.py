"""The keys of a pool of existing nodes."""

from typing import Literal

from ...k8s.base import Quantity
from ...k8s.names import DnsSubdomain
from ...k8s.scheduling import Toleration
from ...runtimes.placement import PodNetwork
from ...validation.model import FrozenList
from ..machines import Machine
from ..nodes import StaticPool
from ..taint import GPU_TAINT, Taint


class ExistingSpec(StaticPool):
    """The keys of a pool of existing nodes, and values derived from them."""

    provider: Literal["existing"]

    nodes: FrozenList[DnsSubdomain]
    """Names of the nodes, at least one."""

    taints: FrozenList[Taint] = ()
    """Taints that the nodes already have. Pods tolerate them, and the GPU taint is not added. Default: none."""

    gpu_taint: bool = True
    """Add the GPU taint to nodes without `taints`, which keeps out pods that do not tolerate it. Set to false if other
    workloads share the nodes, or if there are no other nodes. Default: true."""

    cpu: Quantity | None = None
    """CPUs of one node that pods can use, `kubectl get node NAME -o jsonpath={.status.allocatable.cpu}`. Default:
    unknown and not checked."""

    memory: Quantity | None = None
    """Memory of one node that pods can use, found in the same way. Default: unknown and not checked."""

    arch: Literal["amd64", "arm64"] | None = None
    """CPU architecture of the nodes. Default: unknown and not checked."""

    network: PodNetwork | None = None
    """Settings with which NCCL uses a fast network of the nodes. Default: only the ordinary network."""

    @property
    def machine(self) -> Machine:
        """The hardware of one node, as far as the spec states it."""
        return Machine(gpus=self.gpus_per_node, arch=self.arch)

    @property
    def cpu_per_node(self) -> Quantity | None:
        """The spec's value."""
        return self.cpu

    @property
    def memory_per_node(self) -> Quantity | None:
        """The spec's value."""
        return self.memory

    @property
    def pod_network(self) -> PodNetwork | None:
        """The spec's value."""
        return self.network

    @property
    def adds_gpu_taint(self) -> bool:
        """Whether the pool adds the GPU taint."""
        return self.gpu_taint and not self.taints

    @property
    def node_taints(self) -> tuple[Taint, ...]:
        """The declared taints, or else the pool's."""
        return (GPU_TAINT,) if self.adds_gpu_taint else self.taints

    @property
    def tolerations(self) -> tuple[Toleration, ...]:
        """Tolerations of the taints, and of the GPU taint: the pool may have added it before others added theirs."""
        mine = GPU_TAINT.toleration
        return (*super().tolerations, *(() if mine in super().tolerations else (mine,)))

    @property
    def max_nodes(self) -> int:
        """The number of listed nodes."""
        return len(self.nodes)
