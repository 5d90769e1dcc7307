"""The keys of a GKE pool."""

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
"""Taint that GKE adds to pools of queued capacity."""

NO_DEVICE_PLUGIN = {"gke-no-default-nvidia-gpu-device-plugin": "true"}
"""Label that disables GKE's own device plugin, for nodes where the GPU operator installs another. Source: NVIDIA's GPU
operator, GKE."""


class GkeSpec(CloudPool):
    """The keys of a GKE pool, and values derived from them."""

    cloud: ClassVar[Literal["gke"]] = "gke"

    provider: Literal["gke"]

    cluster: InputText
    """Name of the cluster."""

    location: str = Field(min_length=1)
    """Region of the cluster, `us-central1`, or zone of a zonal cluster, `us-central1-a`."""

    zones: FrozenList[str]
    """Zones of the nodes, at least one: those of the region that have the machine type."""

    project: InputText | None = None
    """Google Cloud project of the cluster. Default: the project of the stack's provider."""

    capacity: Annotated[GkeCapacity, OneOf("kind")] = OnDemand()
    """How Google provides the machines. Default: on demand."""

    network: Annotated[Ethernet | GpuDirect, OneOf("kind")] = Ethernet()
    """Network between GPUs of different nodes. Default: Ethernet, with gVNIC."""

    compact: bool = False
    """Place the nodes close to each other, for a faster network. Needs a single zone. Default: false."""

    driver_version: Literal["default", "latest"] = "default"
    """Version of GKE's driver, if `driver` is `cloud`. Default: that of the node's GKE version."""

    disk_type: str | None = Field(default=None, min_length=1)
    """Type of the boot disk. Default: `hyperdisk-balanced` for machine types that support no other, otherwise GKE's."""

    service_account: InputText | None = None
    """Service account (e-mail) of the nodes. Default: Compute Engine's, which has broad permissions."""

    workload_identity: bool = True
    """Give pods their own Google Cloud identities. The cluster must have Workload Identity. Default: true."""

    auto_upgrade: bool = True
    """Let GKE upgrade nodes automatically. Required in clusters with a release channel. Default: true."""

    upgrade: Upgrade = Upgrade()
    """How many nodes are upgraded at the same time. Default: one, without a spare node. Ignored for flex start and
    queued capacity, whose nodes GKE upgrades by its own strategy."""

    @property
    def upgrades_by_itself(self) -> bool:
        """Whether GKE chooses the upgrade strategy."""
        return isinstance(self.capacity, FlexStart | QueuedProvisioning)

    @property
    def needs_hyperdisk(self) -> bool:
        """Whether the machine type supports no other boot disk."""
        return self.machine_type.startswith(("a3-ultragpu-", "a4-", "a4x-"))

    @property
    def boot_disk_type(self) -> str | None:
        """Type of the boot disk. None: GKE chooses."""
        return self.disk_type or ("hyperdisk-balanced" if self.needs_hyperdisk else None)

    @property
    def nodes_per_zone(self) -> int:
        """Initial nodes of each zone, because GKE counts them by zone."""
        return -(-self.size.initial // max(1, len(self.zones)))

    @property
    def cloud_taints(self) -> tuple[Taint, ...]:
        """The taint of queued capacity."""
        return (QUEUED_TAINT,) if isinstance(self.capacity, QueuedProvisioning) else ()

    @property
    def cpu_per_node(self) -> Quantity | None:
        """CPUs that GKE leaves to pods."""
        return gke_cpus_for_pods(self.machine.cpus)

    @property
    def memory_per_node(self) -> Quantity | None:
        """Memory that GKE leaves to pods."""
        return gke_memory_for_pods(self.machine.memory_gib)

    @property
    def pod_network(self) -> PodNetwork | None:
        """What pods need for GPUDirect."""
        if not isinstance(self.network, GpuDirect):
            return None
        return gpudirect(self.machine_type, self.network.networks)

    def node_labels(self, pool: str) -> dict[str, str]:
        """Adds the label that disables GKE's device plugin, if the GPU operator installs its own."""
        return super().node_labels(pool) | (NO_DEVICE_PLUGIN if self.driver == "operator" else {})
