"""The keys of a pool of AKS, each with its meaning and default."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from ...k8s.base import Quantity
from ...runtimes.placement import PodNetwork
from ...validation.model import FrozenList
from ...validation.one_of import OneOf
from ..allocatable import aks_cpus_for_pods, aks_memory_for_pods
from ..capacity import OnDemand, Reservation, Spot
from ..cloud import CloudPool
from ..device_plugins import DevicePlugin, nvidia_device_plugin
from ..input_text import InputText
from ..interconnect import Ethernet, InfiniBand
from ..reserved_labels import KUBERNETES_DOMAINS
from ..taint import GPU_TAINT, Taint
from ..upgrade import Upgrade

SPOT_PRIORITY_KEY = "kubernetes.azure.com/scalesetpriority"
"""Key of the label and of the taint that AKS puts on spot nodes, and misses later where they weren't declared."""


class AksPoolFields(CloudPool):
    """The keys of a pool of AKS, and what follows from them."""

    cloud: ClassVar[Literal["aks"]] = "aks"
    reserved_domains: ClassVar[tuple[str, ...]] = (*KUBERNETES_DOMAINS, "kubernetes.azure.com")

    provider: Literal["aks"]

    cluster: InputText
    """Name of the cluster."""

    resource_group: InputText
    """Resource group of the cluster."""

    zones: FrozenList[Literal["1", "2", "3"]] = ()
    """Availability zones of the nodes. Default: none, and Azure says where. A single one brings the nodes nearest."""

    subnet: InputText | None = None
    """Resource id of the nodes' subnet. Default: the one that AKS made for the cluster."""

    capacity: Annotated[OnDemand | Spot | Reservation, OneOf("kind")] = OnDemand()
    """How Azure gives out the machines. Default: on demand. For a reservation the cluster's identity must be a
    user-assigned one with the role Contributor on the capacity reservation group."""

    spot_max_price: float = -1
    """Dollars an hour that a spot machine may cost. Default -1: whatever it costs on demand."""

    network: Annotated[Ethernet | InfiniBand, OneOf("kind")] = Ethernet()
    """How GPUs of several nodes reach each other. Default: Ethernet, with accelerated networking."""

    proximity_placement_group: InputText | None = None
    """Resource id of the proximity placement group that the nodes are in. Default: none."""

    os_sku: Literal["Ubuntu", "AzureLinux"] = "Ubuntu"
    """Linux of the nodes. Default: Ubuntu."""

    os_disk_type: Literal["Managed", "Ephemeral"] = "Managed"
    """Where the boot disk is. Default: a managed disk. `Ephemeral` is faster, and needs as much local disk."""

    max_pods: int = Field(30, ge=10, le=250)
    """Pods that fit on one node. Default 30: pods with GPUs are few, and AKS keeps memory for as many as may come."""

    upgrade: Upgrade = Upgrade()
    """How many nodes are renewed at once. Default: one, without a spare one."""

    drain_minutes: int = Field(30, ge=1, le=1440)
    """How long a node's pods may take to leave before it is renewed. Default 30, AKS' own."""

    @property
    def own_taints(self) -> tuple[Taint, ...]:
        """The GPU's, and that of spot capacity."""
        spot = Taint(key=SPOT_PRIORITY_KEY, value="spot", effect="NoSchedule")
        return (GPU_TAINT, spot) if isinstance(self.capacity, Spot) else (GPU_TAINT,)

    @property
    def device_plugins(self) -> tuple[DevicePlugin, ...]:
        """NVIDIA's, where AKS brings the driver: it brings that alone."""
        if self.driver != "cloud":
            return ()
        return (nvidia_device_plugin(self.device_plugin_image, self.device_plugin_pull_secrets),)

    @property
    def cpu_per_node(self) -> Quantity | None:
        """What AKS leaves to pods."""
        return aks_cpus_for_pods(self.machine.cpus)

    @property
    def memory_per_node(self) -> Quantity | None:
        """What AKS leaves to pods."""
        return aks_memory_for_pods(self.machine.memory_gib, self.max_pods)

    @property
    def pod_network(self) -> PodNetwork | None:
        """What InfiniBand needs of pods: its devices, and memory that they may pin."""
        if not isinstance(self.network, InfiniBand):
            return None
        # NCCL's own connections go over the pod's network; RDMA reads and writes memory that is pinned.
        return PodNetwork(
            resources={self.network.resource: self.network.devices},
            env={"NCCL_SOCKET_IFNAME": "eth0"},
            capabilities=("IPC_LOCK",),
        )

    def node_labels(self, pool: str) -> dict[str, str]:
        """Also that of spot capacity."""
        return super().node_labels(pool) | ({SPOT_PRIORITY_KEY: "spot"} if isinstance(self.capacity, Spot) else {})
