"""The keys of pools with AWS machines, for EKS node groups and for Karpenter."""

from typing import Annotated, ClassVar

from pydantic import Field

from ...k8s.base import Quantity
from ...runtimes.placement import PodNetwork
from ...validation.one_of import OneOf
from ..capacity import CapacityBlock, OnDemand, Reservation, Spot
from ..cloud import CloudPool
from ..device_plugins import EFA_IMAGE, DevicePlugin, efa_device_plugin, nvidia_device_plugin
from ..interconnect import Efa, Ethernet
from ..machines import Cloud
from .efa import EFA_RESOURCE
from .images import ImageFamily


class AwsSpec(CloudPool):
    """Nodes with NVIDIA GPUs in EC2, from EKS' own GPU images, which include the driver."""

    cloud: ClassVar[Cloud] = "eks"

    capacity: Annotated[OnDemand | Spot | Reservation | CapacityBlock, OneOf("kind")] = OnDemand()
    """How AWS provides the machines. Default: on demand."""

    network: Annotated[Ethernet | Efa, OneOf("kind")] = Ethernet()
    """Network between GPUs of different nodes. Default: EC2's ordinary network."""

    efa_plugin_image: str = Field(default=EFA_IMAGE, min_length=1)
    """Image of AWS' device plugin for EFA, which is installed if the network is EFA."""

    @property
    def image_family(self) -> ImageFamily | None:
        """Family of the node image. None: not set by the spec."""
        return None

    @property
    def efa_devices(self) -> int:
        """Number of EFA devices of a node."""
        return self.machine.efa_interfaces if isinstance(self.network, Efa) else 0

    @property
    def device_plugins(self) -> tuple[DevicePlugin, ...]:
        """The device plugins to install on the nodes for GPUs and EFA.

        Bottlerocket's GPU images include NVIDIA's device plugin, Amazon Linux' do not (EKS User Guide, "Install
        Kubernetes device plugin for GPUs").
        """
        secrets, plugins = self.device_plugin_pull_secrets, []
        if self.driver == "cloud" and self.image_family != "bottlerocket":
            plugins.append(nvidia_device_plugin(self.device_plugin_image, secrets))
        if self.efa_devices:
            plugins.append(efa_device_plugin(self.efa_plugin_image, secrets))
        return tuple(plugins)

    @property
    def pod_network(self) -> PodNetwork | None:
        """EFA devices, and settings that restrict libfabric to EFA. NCCL uses libfabric if the image has its plugin
        aws-ofi-nccl; otherwise it uses TCP and reports that only in its log."""
        if not self.efa_devices:
            return None
        return PodNetwork(resources={EFA_RESOURCE: self.efa_devices}, env={"FI_PROVIDER": "efa"})

    @property
    def cpu_per_node(self) -> Quantity | None:
        """CPUs that EKS' images leave to pods: the kubelet reserves 6% of the first, 1% of the second, 0.5% of the next
        two and 0.25% of the others (awslabs/amazon-eks-ami nodeadm, kubelet defaults)."""
        cpus = self.machine.cpus
        if cpus is None:
            return None
        kept = sum((60, 10, 5, 5)[:cpus]) + 2.5 * max(cpus - 4, 0)
        return f"{int(1000 * cpus - kept)}m"

    @property
    def memory_per_node(self) -> Quantity | None:
        """Memory that is left to pods by EC2's host (7.5% at most, as Karpenter estimates), the kubelet (255 MiB and 11
        for each of 110 pods) and the eviction threshold (100 MiB)."""
        memory = self.machine.memory_gib
        return None if memory is None else f"{max(int(memory * 1024 * 0.925) - 255 - 11 * 110 - 100, 0)}Mi"
