"""The keys of a pool of GKE, each with its meaning and default."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from ...k8s.base import Quantity
from ...runtimes.placement import PodNetwork
from ...validation.model import FrozenList
from ...validation.one_of import OneOf
from ..allocatable import gke_cpus_for_pods, gke_memory_for_pods
from ..capacity import FlexStart, OnDemand, QueuedProvisioning, Reservation, Spot
from ..cloud import CloudPool
from ..input_text import InputText
from ..interconnect import Ethernet, GpuDirect
from ..taint import Taint
from ..upgrade import Upgrade
from .gpudirect import gpudirect

GkeCapacity = OnDemand | Spot | FlexStart | QueuedProvisioning | Reservation

QUEUED_TAINT = Taint(key="cloud.google.com/gke-queued", value="true", effect="NoSchedule")
"""Put by GKE on pools of queued capacity."""

NO_DEVICE_PLUGIN = {"gke-no-default-nvidia-gpu-device-plugin": "true"}
"""Label that keeps GKE's own device plugin off, where the GPU operator brings another. NVIDIA's GPU operator, GKE."""


class GkePoolFields(CloudPool):
    """The keys of a pool of GKE, and what follows from them."""

    cloud: ClassVar[Literal["gke"]] = "gke"

    provider: Literal["gke"]

    cluster: InputText
    """Name of the cluster."""

    location: str = Field(min_length=1)
    """Region of the cluster, `us-central1`, or zone of a zonal one, `us-central1-a`."""

    zones: FrozenList[str]
    """Zones of the nodes, one at least: those of the region that have the machine."""

    project: InputText | None = None
    """Google Cloud project of the cluster. Default: the one that the stack configures for its provider."""

    capacity: Annotated[GkeCapacity, OneOf("kind")] = OnDemand()
    """How Google gives out the machines. Default: on demand."""

    network: Annotated[Ethernet | GpuDirect, OneOf("kind")] = Ethernet()
    """How GPUs of several nodes reach each other. Default: Ethernet, with gVNIC."""

    compact: bool = False
    """Whether the nodes stand close to each other, for a faster network. Needs a single zone. Default: no."""

    driver_version: Literal["default", "latest"] = "default"
    """Which of GKE's drivers, where `driver` is `cloud`. Default: the one of the node's GKE version."""

    disk_type: str | None = Field(None, min_length=1)
    """Kind of the boot disk. Default: `hyperdisk-balanced` for machines that take no other, else GKE's."""

    service_account: InputText | None = None
    """Service account (e-mail) of the nodes. Default: Compute Engine's, which may do too much."""

    workload_identity: bool = True
    """Whether pods get Google Cloud identities of their own. The cluster must have Workload Identity. Default: yes."""

    auto_upgrade: bool = True
    """Whether GKE renews nodes by itself. Clusters in a release channel insist on it. Default: yes."""

    upgrade: Upgrade = Upgrade()
    """How many nodes are renewed at once. Default: one, without a spare one."""

    @property
    def needs_hyperdisk(self) -> bool:
        """Whether the machine boots from nothing else."""
        return self.machine_type.startswith(("a3-ultragpu-", "a4-", "a4x-"))

    @property
    def boot_disk_type(self) -> str | None:
        """Kind of the boot disk. None for GKE's own choice."""
        return self.disk_type or ("hyperdisk-balanced" if self.needs_hyperdisk else None)

    @property
    def nodes_per_zone(self) -> int:
        """Nodes of each zone that the pool starts with: GKE counts those by zone."""
        return -(-self.size.initial // max(1, len(self.zones)))

    @property
    def cloud_taints(self) -> tuple[Taint, ...]:
        """Of queued capacity."""
        return (QUEUED_TAINT,) if isinstance(self.capacity, QueuedProvisioning) else ()

    @property
    def cpu_per_node(self) -> Quantity | None:
        """What GKE leaves to pods."""
        return gke_cpus_for_pods(self.machine.cpus)

    @property
    def memory_per_node(self) -> Quantity | None:
        """What GKE leaves to pods."""
        return gke_memory_for_pods(self.machine.memory_gib)

    @property
    def pod_network(self) -> PodNetwork | None:
        """What GPUDirect needs of pods."""
        if not isinstance(self.network, GpuDirect):
            return None
        return gpudirect(self.machine_type, self.network.networks)

    def node_labels(self, pool: str) -> dict[str, str]:
        """Also the one that keeps GKE's device plugin off where the GPU operator brings its own."""
        return super().node_labels(pool) | (NO_DEVICE_PLUGIN if self.driver == "operator" else {})
