"""What people say of a GPU node pool: one spec a provider, told apart by `provider`."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Literal

from pydantic import Field, TypeAdapter

from ..model import Items
from ..names import DnsLabel, DnsSubdomain
from ..runtimes.placement import Placement, PodNetwork
from ..runtimes.rules.quantities import amount
from ..runtimes.scheduling import Toleration
from ..runtimes.wire import Quantity
from .aks_pool import AksPool
from .eks_pool import EksPool
from .existing_network import network_findings
from .finding import Finding
from .gke_pool import GkePool
from .karpenter_pool import KarpenterPool
from .machines import Machine
from .pool import POOL_LABEL, Pool
from .taint import GPU_TAINT, Taint, taint_findings

MILLI, GIB = Decimal("0.001"), Decimal(1024**3)


class GpuNodes(Pool):
    """Nodes of which it must be said how many GPUs they have."""

    gpus_per_node: int = Field(ge=1)
    """GPUs of one node."""

    @property
    def machine(self) -> Machine:
        """What one node has, as far as the spec says."""
        return Machine(gpus=self.gpus_per_node)

    def findings(self) -> Iterator[Finding]:
        """Also amounts that no node has."""
        yield from super().findings()
        for key, said, least in (("cpu", self.cpu_per_node, MILLI), ("memory", self.memory_per_node, GIB)):
            if said is not None and amount(said) < least:
                message = f"no node has {key} of {said}."
                yield Finding("POOL-17", (key,), message, "Write it with its unit: `96`, `190500m`, `1900Gi`.")


class SimulatedPool(GpuNodes):
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


class ExistingPool(GpuNodes):
    """Nodes that are there already, made by someone else, found by name. Nodes that an autoscaler makes come with other
    names: whoever makes them must label and taint them."""

    provider: Literal["existing"]

    nodes: Items[DnsSubdomain]
    """Their names, one at least."""

    taints: Items[Taint] = ()
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
    def puts_taint(self) -> bool:
        """Whether the nodes get the GPU taint."""
        return self.gpu_taint and not self.taints

    @property
    def node_taints(self) -> tuple[Taint, ...]:
        """Those that others have put there, else ours."""
        return (GPU_TAINT,) if self.puts_taint else self.taints

    @property
    def tolerations(self) -> tuple[Toleration, ...]:
        """Those of the taints, and of the GPU taint: the pool may have put it there before others put theirs."""
        mine = GPU_TAINT.toleration
        return (*super().tolerations, *(() if mine in super().tolerations else (mine,)))

    @property
    def max_nodes(self) -> int:
        """As many as are named."""
        return len(self.nodes)

    def findings(self) -> Iterator[Finding]:
        """Also a pool without nodes, or with one twice; taints and a network that no node has."""
        yield from super().findings()
        if not self.nodes:
            yield Finding("POOL-02", ("nodes",), "the pool has no nodes.", "Name the nodes, or take the pool out.")
        for index, node in enumerate(self.nodes):
            if node in self.nodes[:index]:
                yield Finding("POOL-02", ("nodes", index), f"{node} is in the list twice.", "Take it out once.")
        yield from taint_findings("taints", self.taints)
        if self.network:
            yield from network_findings(self.network)


_NAME: TypeAdapter[str] = TypeAdapter(DnsLabel)

GpuNodePoolSpec = GkePool | EksPool | AksPool | KarpenterPool | SimulatedPool | ExistingPool
"""All of them. Each is known by its `provider`."""


def placement(pool: str, spec: Pool) -> Placement:
    """What pods need to land in the pool of that name, and what they find there. Plain values: no cloud is asked.

    Raises pydantic's ValidationError for a name that Kubernetes doesn't take.
    """
    _NAME.validate_python(pool)
    return Placement(
        node_selector={POOL_LABEL: pool},
        tolerations=spec.tolerations,
        gpu_resource=spec.gpu_resource,
        gpus_per_node=spec.machine.gpus,
        cpu_per_node=spec.cpu_per_node,
        memory_per_node=spec.memory_per_node,
        max_nodes=spec.max_nodes or None,
        architecture=spec.machine.arch,
        network=spec.pod_network,
    )
