"""What every pool says whose nodes a cloud makes: machines, size, disk, taints, upgrades."""

from collections.abc import Iterator
from typing import Any, ClassVar, Literal

from pydantic import Field

from ..k8s.names import DnsSubdomain
from ..validation.model import FrozenList
from ..validation.violation import Violation
from .base import Pool
from .device_plugins import NVIDIA_IMAGE, DevicePlugin
from .machines import Cloud, Machine, check_machine_type, machines
from .reserved_labels import KUBERNETES_DOMAINS
from .size import Size
from .taint import GPU_TAINT, Taint, check_taints

GPU_OPERATOR_OPT_OUT = {"nvidia.com/gpu.deploy.operands": "false"}
"""Label of nodes that NVIDIA's GPU operator leaves alone. Source: its documentation, "Installing the Operator"."""

MIN_DISK_GIB = 100
"""GiB. CUDA images of 20 GiB and more, and their layers unpacked, do not fit beside each other on less."""


class CloudPool(Pool):
    """Nodes of one machine type that a cloud makes, tainted so that only pods that tolerate GPU nodes land there."""

    cloud: ClassVar[Cloud]
    """Whose machines."""

    reserved_domains: ClassVar[tuple[str, ...]] = KUBERNETES_DOMAINS

    machine_type: str = Field(min_length=1)
    """Machine type as the cloud names it: `a3-highgpu-8g`, `p5.48xlarge`, `Standard_ND96isr_H100_v5`."""

    figures: Machine | None = None
    """What one machine has. Only for a machine type that is not known here; `machines.json` lists those that are."""

    size: Size
    """How many nodes, over all zones."""

    extra_taints: FrozenList[Taint] = ()
    """Taints beside the pool's own (`nvidia.com/gpu`). Pods of the platform tolerate them. Default: none."""

    driver: Literal["cloud", "operator", "none"] = "cloud"
    """Who installs the GPU driver and the device plugin. `cloud` (default): the cloud the driver, and this component
    the device plugin where the cloud doesn't; NVIDIA's GPU operator, should the cluster have it, leaves the nodes
    alone. `operator`: the GPU operator does both, and the cloud neither. `none`: neither is installed, because the node
    image has them or someone else brings them."""

    device_plugin_image: str = Field(NVIDIA_IMAGE, min_length=1)
    """Image of NVIDIA's device plugin, where this component installs it."""

    device_plugin_pull_secrets: FrozenList[DnsSubdomain] = ()
    """Secrets in kube-system with which images of device plugins are pulled. Default: none."""

    disk_gib: int = 200
    """Boot disk of a node, which holds images and pods' scratch space. Default 200, 100 at least."""

    timeout_minutes: int = Field(60, ge=60)
    """How long the cloud may take to create, change or delete the pool. Default and least: 60. A shorter one ends
    before the cloud does, and leaves a pool that the stack doesn't know (NVIDIA/aicr#2065)."""

    @property
    def machine(self) -> Machine:
        """What one node has: the figures given, completed from the table."""
        known = machines(self.cloud).get(self.machine_type)
        if known is None or self.figures is None:
            found = known or self.figures
            assert found  # noqa: S101 - a machine without figures was refused (POOL-04)
            return found
        given: dict[str, Any] = {name: getattr(self.figures, name) for name in self.figures.model_fields_set}
        return known.model_copy(update=given)

    @property
    def has_known_machine(self) -> bool:
        """Whether the table has the machine type."""
        return self.machine_type in machines(self.cloud)

    @property
    def own_taints(self) -> tuple[Taint, ...]:
        """Taints that this component gives the nodes in any case."""
        return (GPU_TAINT,)

    @property
    def cloud_taints(self) -> tuple[Taint, ...]:
        """Taints that the cloud puts there by itself, and that must not be declared."""
        return ()

    @property
    def declared_taints(self) -> tuple[Taint, ...]:
        """Taints that this component gives the nodes: the pool's own, then the extra ones."""
        return (*self.own_taints, *self.extra_taints)

    @property
    def node_taints(self) -> tuple[Taint, ...]:
        """The declared ones, then the cloud's."""
        return (*self.declared_taints, *self.cloud_taints)

    @property
    def device_plugins(self) -> tuple[DevicePlugin, ...]:
        """What has to be installed on the nodes, so that pods can ask for their devices. By default nothing."""
        return ()

    @property
    def max_nodes(self) -> int:
        """Most nodes that the pool can have."""
        return self.size.max

    def node_labels(self, pool: str) -> dict[str, str]:
        """Also the one that keeps the GPU operator off, where a second driver and device plugin would do harm."""
        return (GPU_OPERATOR_OPT_OUT if self.driver == "cloud" else {}) | super().node_labels(pool)

    def violations(self) -> Iterator[Violation]:
        """Also what clouds have in common."""
        yield from super().violations()
        yield from self.size.violations()
        yield from check_machine_type(self.cloud, self.machine_type, "machineType", self.figures)
        yield from check_taints("extraTaints", self.extra_taints, (*self.own_taints, *self.cloud_taints))
        if self.gpu_resource != "nvidia.com/gpu":
            message = f"the machines known here have nvidia.com/gpu, and whole ones, not {self.gpu_resource}."
            yield Violation("POOL-11", "gpuResource", message, "Take it out, or make the pool elsewhere: `existing`.")
        if self.disk_gib < MIN_DISK_GIB:
            message = (
                f"a disk of {self.disk_gib} GiB is soon full of images for GPUs, and pods are evicted from its node."
            )
            yield Violation("POOL-06", "diskGib", message, f"Write {MIN_DISK_GIB} or more.")
