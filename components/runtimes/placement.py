"""Placement: what pods need to land on the nodes of a GPU pool, as the pool gives it and a runtime takes it."""

from collections.abc import Mapping

from pydantic import ConfigDict, Field

from ..k8s.base import Quantity
from ..k8s.containers import Container, VolumeMount
from ..k8s.image_architecture import Architecture
from ..k8s.scheduling import Toleration
from ..k8s.volumes import Volume
from ..validation.model import FrozenList, StrictModel


class PodNetwork(StrictModel):
    """What makes NCCL use the fast network of a node: plain values for the pods that train there."""

    model_config = ConfigDict(defer_build=True)

    resources: Mapping[str, int] = Field(default_factory=dict)
    """Network cards of one node by the resource that pods ask for: `{"vpc.amazonaws.com/efa": 32}`. Default: none.

    A pod with all GPUs of a node gets all of them, one with fewer GPUs its share, rounded down."""

    env: Mapping[str, str] = Field(default_factory=dict)
    """Environment of the container that trains: `NCCL_*`, `FI_*`, library paths. Default: none."""

    volumes: FrozenList[Volume] = ()
    """Volumes of the pod, folders of the node mostly. Default: none."""

    mounts: FrozenList[VolumeMount] = ()
    """Where those are in the container that trains. Default: none."""

    annotations: Mapping[str, str] = Field(default_factory=dict)
    """Annotations of the pod: interfaces, devices. Default: none."""

    capabilities: FrozenList[str] = ()
    """Linux capabilities of the container that trains: `IPC_LOCK` for memory that cards read. Default: none."""

    sidecars: FrozenList[Container] = ()
    """Containers beside the one that trains, as init containers that are restarted always. Default: none."""


class Placement(StrictModel):
    """Where GPU pods go: plain values, computed from a pool before anything of it exists."""

    # Its validator is built at first use: a runtime without a pool does without.
    model_config = ConfigDict(defer_build=True)

    node_selector: Mapping[str, str] = Field(default_factory=dict)
    """Labels that a node must have. Default: none."""

    tolerations: FrozenList[Toleration] = ()
    """Taints of the pool's nodes that must not keep the pods away. Default: none."""

    gpu_resource: str = "nvidia.com/gpu"
    """Name of the GPUs in a node's capacity: `nvidia.com/gpu`, `amd.com/gpu`, `nvidia.com/mig-1g.5gb`."""

    gpus_per_node: int = Field(ge=0)
    """GPUs that one node has; 0 for a pool without GPUs."""

    cpu_per_node: Quantity | None = None
    """CPUs that one node has for pods, its allocatable: `"191450m"`. Default: not known, and not checked."""

    memory_per_node: Quantity | None = None
    """Memory in bytes that one node has for pods: `"1938410Mi"`. Default: not known, and not checked."""

    max_nodes: int | None = Field(None, ge=1)
    """Nodes that the pool can have at most. Default: not known, and not checked."""

    architecture: Architecture | None = None
    """Instruction set of the nodes. Default: not known, and not checked."""

    network: PodNetwork | None = None
    """The fast network of the nodes. Default: none but the ordinary one."""


def is_gpu(resource: str) -> bool:
    """Whether a resource is GPUs or parts of them: `nvidia.com/gpu`, `amd.com/gpu`, `nvidia.com/mig-1g.5gb`."""
    return resource.endswith("/gpu") or "/mig-" in resource
