"""A pool of nodes that already exist."""

from collections.abc import Iterator
from typing import Literal

from ...k8s.base import Quantity
from ...k8s.names import DnsSubdomain
from ...k8s.scheduling import Toleration
from ...runtimes.placement import PodNetwork
from ...validation.model import FrozenList
from ...validation.violation import Violation
from ..machines import Machine
from ..nodes import StaticPool
from ..taint import GPU_TAINT, Taint, check_taints
from .checks import check_network


class ExistingPool(StaticPool):
    """Nodes that are there already, made by someone else, found by name. Nodes that an autoscaler makes come with other
    names: whoever makes them must label and taint them."""

    provider: Literal["existing"]

    nodes: FrozenList[DnsSubdomain]
    """Their names, one at least."""

    taints: FrozenList[Taint] = ()
    """Taints that they carry already. Pods tolerate them; the GPU taint is not put beside them. Default: none."""

    gpu_taint: bool = True
    """Whether nodes without `taints` get the GPU taint, which keeps everything off that doesn't tolerate it. False for
    nodes that others run on too, or where there are no other nodes. Default True."""

    cpu: Quantity | None = None
    """CPUs that one node has for pods, `kubectl get node NAME -o jsonpath={.status.allocatable.cpu}`.
    Default: not known, and not checked."""

    memory: Quantity | None = None
    """Memory that one node has for pods, likewise. Default: not known, and not checked."""

    arch: Literal["amd64", "arm64"] | None = None
    """What the nodes' CPUs run. Default: not known, and not checked."""

    network: PodNetwork | None = None
    """What makes NCCL use a fast network that the nodes have. Default: they have the ordinary one only."""

    @property
    def machine(self) -> Machine:
        """What one node has, as far as the spec says."""
        return Machine(gpus=self.gpus_per_node, arch=self.arch)

    @property
    def cpu_per_node(self) -> Quantity | None:
        """As the spec says."""
        return self.cpu

    @property
    def memory_per_node(self) -> Quantity | None:
        """As the spec says."""
        return self.memory

    @property
    def pod_network(self) -> PodNetwork | None:
        """As the spec says."""
        return self.network

    @property
    def adds_gpu_taint(self) -> bool:
        """Whether the nodes get the GPU taint."""
        return self.gpu_taint and not self.taints

    @property
    def node_taints(self) -> tuple[Taint, ...]:
        """Those that others have put there, else ours."""
        return (GPU_TAINT,) if self.adds_gpu_taint else self.taints

    @property
    def tolerations(self) -> tuple[Toleration, ...]:
        """Those of the taints, and of the GPU taint: the pool may have put it there before others put theirs."""
        mine = GPU_TAINT.toleration
        return (*super().tolerations, *(() if mine in super().tolerations else (mine,)))

    @property
    def max_nodes(self) -> int:
        """As many as are named."""
        return len(self.nodes)

    def violations(self) -> Iterator[Violation]:
        """Also a pool without nodes, or with one twice; taints and a network that no node has."""
        yield from super().violations()
        if not self.nodes:
            yield Violation("POOL-02", "nodes", "the pool has no nodes.", "Name the nodes, or take the pool out.")
        for index, node in enumerate(self.nodes):
            if node in self.nodes[:index]:
                yield Violation("POOL-02", f"nodes[{index}]", f"{node} is in the list twice.", "Take it out once.")
        yield from check_taints("taints", self.taints)
        if self.network:
            yield from check_network(self.network)
