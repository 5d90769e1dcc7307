"""The keys of an AKS pool."""

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
"""Key of the label and taint that AKS adds to spot nodes. They must be declared, or they show as drift."""


class AksSpec(CloudPool):
    """The keys of an AKS pool, and values derived from them."""

    cloud: ClassVar[Literal["aks"]] = "aks"
    reserved_domains: ClassVar[tuple[str, ...]] = (*KUBERNETES_DOMAINS, "kubernetes.azure.com")

    provider: Literal["aks"]

    cluster: InputText
    """Name of the cluster."""

    resource_group: InputText
    """Resource group of the cluster."""

    zones: FrozenList[Literal["1", "2", "3"]] = ()
    """Availability zones of the nodes. Default: none, and Azure chooses. A single zone places the nodes closest
    together."""

    subnet: InputText | None = None
    """Resource id of the nodes' subnet. Default: the one that AKS created for the cluster."""

    capacity: Annotated[OnDemand | Spot | Reservation, OneOf("kind")] = OnDemand()
    """How Azure provides the machines. Default: on demand. For a reservation, the cluster needs a user-assigned
    identity with the role Contributor on the capacity reservation group."""

    spot_max_price: float = -1
    """Maximum price of a spot machine in dollars per hour. Default -1: up to the on-demand price."""

    network: Annotated[Ethernet | InfiniBand, OneOf("kind")] = Ethernet()
    """Network between GPUs of different nodes. Default: Ethernet, with accelerated networking."""

    proximity_placement_group: InputText | None = None
    """Resource id of a proximity placement group for the nodes. Default: none."""

    os_sku: Literal["Ubuntu", "AzureLinux"] = "Ubuntu"
    """Linux distribution of the nodes. Default: Ubuntu."""

    os_disk_type: Literal["Managed", "Ephemeral"] = "Managed"
    """Type of the boot disk. Default: a managed disk. `Ephemeral` is faster and needs a local disk of the same size."""

    max_pods: int = Field(default=30, ge=10, le=250)
    """Maximum number of pods on a node. Default 30: GPU nodes run few pods, and AKS reserves memory for each possible
    one."""

    upgrade: Upgrade = Upgrade()
    """How many nodes are upgraded at the same time. Default: one, without a spare node."""

    drain_minutes: int = Field(default=30, ge=1, le=1440)
    """Minutes for a node's pods to terminate before it is upgraded. Default 30, as in AKS."""

    @property
    def own_taints(self) -> tuple[Taint, ...]:
        """The GPU taint, and that of spot capacity."""
        spot = Taint(key=SPOT_PRIORITY_KEY, value="spot", effect="NoSchedule")
        return (GPU_TAINT, spot) if isinstance(self.capacity, Spot) else (GPU_TAINT,)

    @property
    def device_plugins(self) -> tuple[DevicePlugin, ...]:
        """NVIDIA's, if AKS installs the driver: AKS installs no device plugin."""
        if self.driver != "cloud":
            return ()
        return (nvidia_device_plugin(self.device_plugin_image, self.device_plugin_pull_secrets),)

    @property
    def cpu_per_node(self) -> Quantity | None:
        """CPUs that AKS leaves to pods."""
        return aks_cpus_for_pods(self.machine.cpus)

    @property
    def memory_per_node(self) -> Quantity | None:
        """Memory that AKS leaves to pods."""
        return aks_memory_for_pods(self.machine.memory_gib, self.max_pods)

    @property
    def pod_network(self) -> PodNetwork | None:
        """What pods need for InfiniBand: its devices, and permission to lock memory."""
        if not isinstance(self.network, InfiniBand):
            return None
        # NCCL's own connections go over the pod's network; RDMA reads and writes memory that is pinned.
        return PodNetwork(
            resources={self.network.resource: self.network.devices},
            env={"NCCL_SOCKET_IFNAME": "eth0"},
            capabilities=("IPC_LOCK",),
        )

    def node_labels(self, pool: str) -> dict[str, str]:
        """Adds the label of spot capacity."""
        return super().node_labels(pool) | ({SPOT_PRIORITY_KEY: "spot"} if isinstance(self.capacity, Spot) else {})
