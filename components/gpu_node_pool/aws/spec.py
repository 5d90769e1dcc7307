"""The keys of pools with AWS machines, for EKS node groups and for Karpenter."""

import re
from collections.abc import Iterator
from typing import Annotated, ClassVar

from pydantic import Field

from ...k8s.base import Quantity
from ...runtimes.placement import PodNetwork
from ...validation.one_of import OneOf
from ...validation.violation import Severity, Violation
from ..capacity import CapacityBlock, OnDemand, Reservation, Spot
from ..cloud import CloudPool
from ..device_plugins import EFA_IMAGE, MIN_EFA_VERSION, DevicePlugin, efa_device_plugin, nvidia_device_plugin
from ..interconnect import Efa, Ethernet
from ..machines import Cloud, machines
from .efa import EFA_RESOURCE
from .images import ImageFamily

MIN_FAST_CARDS = 4
"""Number of EFA devices from which a machine type is meant for training on several nodes. Those with fewer are for
graphics and inference, or have as much bandwidth without EFA."""


class AwsPool(CloudPool):
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

    def violations(self) -> Iterator[Violation]:
        """Adds the checks that all pools of AWS have."""
        yield from super().violations()
        if self.driver == "operator":
            message = "EKS' GPU images include the driver, which conflicts with the GPU operator's."
            fix = "Set `none`, and install the operator with `driver.enabled=false` and `toolkit.enabled=false`."
            yield Violation("AWS-02", "driver", message, fix)
        yield from self._check_efa()
        if isinstance(self.capacity, Reservation | CapacityBlock):
            said = self.capacity.reservation
            if isinstance(said, str) and not re.fullmatch(r"cr-[0-9a-z]+", said):
                message = f'"{said}" is not the id of a capacity reservation.'
                yield Violation("AWS-04", "capacity.reservation", message, "Use its id, `cr-...`.")

    def _check_efa(self) -> Iterator[Violation]:
        known = self.machine_spec or machines(self.cloud).get(self.machine_type)
        if isinstance(self.network, Efa) and known and not self.machine.efa_interfaces:
            message = f"{self.machine_type} is not known to support EFA."
            fix = "Use a machine type with EFA, remove `network`, or set `machineSpec.efaInterfaces`."
            yield Violation("AWS-03", "network", message, fix)
        needed = MIN_EFA_VERSION.get(self.machine_type)
        found = re.search(r":v?(\d+)\.(\d+)\.(\d+)", self.efa_plugin_image)
        if self.efa_devices and needed and found and tuple(map(int, found.groups())) < needed:
            version = ".".join(map(str, needed))
            message = f"EFA's device plugin before {version} reports other devices of {self.machine_type} as EFA."
            yield Violation("AWS-05", "efaPluginImage", message, f"Use version {version} or later.")
        cards = self.machine.efa_interfaces if known else 0
        if isinstance(self.network, Ethernet) and cards >= MIN_FAST_CARDS and self.size.max > 1:
            message = f"Without EFA, communication between several {self.machine_type} is slow."
            fix = "Set `network: {kind: efa}`, unless every job uses one node."
            yield Violation("AWS-06", "network", message, fix, Severity.WARNING)
