"""The keys of all pools whose nodes a cloud creates: machines, size, disk, taints, upgrades."""

from collections.abc import Iterator
from typing import Any, ClassVar, Literal

from pydantic import Field

from ..k8s.names import DnsSubdomain
from ..validation.model import FrozenList
from ..validation.violation import Severity, Violation
from .base import Pool
from .device_plugins import NVIDIA_IMAGE, DevicePlugin
from .machines import Cloud, Machine, check_machine_type, machines
from .reserved_labels import KUBERNETES_DOMAINS
from .size import Size
from .taint import GPU_TAINT, Taint, check_taints

GPU_OPERATOR_OPT_OUT = {"nvidia.com/gpu.deploy.operands": "false"}
"""Label of nodes that NVIDIA's GPU operator ignores if a ClusterPolicy configures it.

With a GPUCluster (DRA, since 26.7) the operator does not check the label and installs a second driver:
NVIDIA/gpu-operator#2288, read in controllers/nodelabeling_controller.go@v26.7.0.
"""

MIN_DISK_GIB = 100
"""Minimum size in GiB. CUDA images of 20 GiB and more and their unpacked layers do not fit on less."""


AGENT_NOT_READY = "/agent-not-ready"
"""Suffix of the keys of taints that an agent removes when it is ready: `node.cilium.io/agent-not-ready`,
`efs.csi.aws.com/agent-not-ready`, `ebs.csi.aws.com/agent-not-ready`."""


class CloudPool(Pool):
    """Nodes of one machine type that a cloud creates. They are tainted, so that only pods that tolerate GPU nodes run
    there."""

    cloud: ClassVar[Cloud]
    """The cloud of the machines."""

    reserved_domains: ClassVar[tuple[str, ...]] = KUBERNETES_DOMAINS

    agent_taint_fix: ClassVar[str] = "Remove it, and let pods that need the agent wait for it in an init container."
    """Fix for a taint that an agent removes."""

    machine_type: str = Field(min_length=1)
    """The cloud's machine type: `a3-highgpu-8g`, `p5.48xlarge`, `Standard_ND96isr_H100_v5`."""

    machine_spec: Machine | None = None
    """Hardware of the machine type. Only for machine types that are not in `machines.json`."""

    size: Size
    """Number of nodes, over all zones."""

    extra_taints: FrozenList[Taint] = ()
    """Taints in addition to the pool's own (`nvidia.com/gpu`). Pods of the platform tolerate them. Default: none."""

    driver: Literal["cloud", "operator", "none"] = "cloud"
    """Who installs the GPU driver and the device plugin. `cloud` (default): the cloud installs the driver, and this
    component the device plugin if the cloud does not. NVIDIA's GPU operator ignores the nodes if a ClusterPolicy
    configures it; a GPUCluster needs a node selector that excludes them.
    `operator`: the GPU operator installs both. `none`: neither is installed, because the node image includes them or
    someone else installs them."""

    device_plugin_image: str = Field(default=NVIDIA_IMAGE, min_length=1)
    """Image of NVIDIA's device plugin, if this component installs it."""

    device_plugin_pull_secrets: FrozenList[DnsSubdomain] = ()
    """Secrets in kube-system for pulling images of device plugins. Default: none."""

    disk_gib: int = 200
    """Size in GiB of a node's boot disk, which holds images and pods' scratch space. Default 200, minimum 100."""

    timeout_minutes: int = Field(default=60, ge=60)
    """Minutes that the cloud may take to create, update or delete the pool. Default and minimum: 60. A shorter timeout
    would expire before the cloud's own and leave a pool that is not in the state (NVIDIA/aicr#2065)."""

    @property
    def machine(self) -> Machine:
        """The hardware of one node: `machine_spec`, completed from the table."""
        known = machines(self.cloud).get(self.machine_type)
        if known is None or self.machine_spec is None:
            found = known or self.machine_spec
            assert found  # noqa: S101 - an unknown machine type without a spec was rejected (POOL-04)
            return found
        given: dict[str, Any] = {name: getattr(self.machine_spec, name) for name in self.machine_spec.model_fields_set}
        return known.model_copy(update=given)

    @property
    def has_known_machine(self) -> bool:
        """Whether the table has the machine type."""
        return self.machine_type in machines(self.cloud)

    @property
    def own_taints(self) -> tuple[Taint, ...]:
        """Taints that this component always adds to the nodes."""
        return (GPU_TAINT,)

    @property
    def cloud_taints(self) -> tuple[Taint, ...]:
        """Taints that the cloud adds itself and that must not be declared."""
        return ()

    @property
    def declared_taints(self) -> tuple[Taint, ...]:
        """Taints that this component adds to the nodes: the pool's own, then the extra ones."""
        return (*self.own_taints, *self.extra_taints)

    @property
    def node_taints(self) -> tuple[Taint, ...]:
        """The declared taints, then the cloud's."""
        return (*self.declared_taints, *self.cloud_taints)

    @property
    def device_plugins(self) -> tuple[DevicePlugin, ...]:
        """Device plugins to install on the nodes. Default: none."""
        return ()

    @property
    def max_nodes(self) -> int:
        """Maximum number of nodes in the pool."""
        return self.size.max

    def node_labels(self, pool: str) -> dict[str, str]:
        """Adds the label that makes the GPU operator ignore the nodes, if a second driver and device plugin would
        conflict."""
        return (GPU_OPERATOR_OPT_OUT if self.driver == "cloud" else {}) | super().node_labels(pool)

    def violations(self) -> Iterator[Violation]:
        """Adds the checks that all clouds have."""
        yield from super().violations()
        yield from self.size.violations()
        yield from check_machine_type(self.cloud, self.machine_type, "machineType", self.machine_spec)
        yield from check_taints("extraTaints", self.extra_taints, (*self.own_taints, *self.cloud_taints))
        yield from self._check_agents()
        if self.gpu_resource != "nvidia.com/gpu":
            message = f"The cloud's machines have whole GPUs, nvidia.com/gpu, not {self.gpu_resource}."
            yield Violation("POOL-11", "gpuResource", message, "Remove it, or use a pool of provider `existing`.")
        if self.disk_gib < MIN_DISK_GIB:
            message = f"A disk of {self.disk_gib} GiB soon fills up with GPU images, and pods are evicted."
            yield Violation("POOL-06", "diskGib", message, f"Set {MIN_DISK_GIB} or more.")

    def _check_agents(self) -> Iterator[Violation]:
        for index, taint in enumerate(self.extra_taints):
            if taint.key.endswith(AGENT_NOT_READY):
                message = f"Runtimes of the pool tolerate {taint.key}: their pods start before the agent is ready."
                yield Violation("POOL-18", f"extraTaints[{index}]", message, self.agent_taint_fix, Severity.WARNING)
