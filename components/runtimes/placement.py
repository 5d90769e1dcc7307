"""Placement: what pods need to be scheduled on the nodes of a GPU pool. A pool provides it, and a runtime uses it."""

from collections.abc import Mapping

from pydantic import ConfigDict, Field

from ..k8s.base import Quantity
from ..k8s.containers import Container, VolumeMount
from ..k8s.image_architecture import Architecture
from ..k8s.scheduling import Toleration
from ..k8s.volumes import Volume
from ..validation.model import FrozenList, StrictModel


class PodNetwork(StrictModel):
    """Settings with which NCCL uses the fast network of a node, for the pods that train there."""

    model_config = ConfigDict(defer_build=True)

    resources: Mapping[str, int] = Field(default_factory=dict)
    """Network cards of one node, by resource name: `{"vpc.amazonaws.com/efa": 32}`. Default: none. A pod with all GPUs
    of a node gets all of them; one with fewer GPUs gets its share, rounded down."""

    env: Mapping[str, str] = Field(default_factory=dict)
    """Environment of the training container: `NCCL_*`, `FI_*`, library paths. Default: none."""

    volumes: FrozenList[Volume] = ()
    """Volumes of the pod, mostly directories of the node. Default: none."""

    mounts: FrozenList[VolumeMount] = ()
    """Mounts of these volumes in the training container. Default: none."""

    annotations: Mapping[str, str] = Field(default_factory=dict)
    """Annotations of the pod: interfaces, devices. Default: none."""

    capabilities: FrozenList[str] = ()
    """Linux capabilities of the training container, such as `IPC_LOCK` for memory that cards access. Default: none."""

    sidecars: FrozenList[Container] = ()
    """Sidecars: init containers with restartPolicy Always. Default: none."""


class Placement(StrictModel):
    """Where GPU pods are scheduled: plain values, computed from a pool before it exists."""

    # Its validator is built at first use: a runtime without a pool does without.
    model_config = ConfigDict(defer_build=True)

    node_selector: Mapping[str, str] = Field(default_factory=dict)
    """Labels that a node must have. Default: none."""

    tolerations: FrozenList[Toleration] = ()
    """Tolerations for the taints of the pool's nodes. Default: none."""

    gpu_resource: str = "nvidia.com/gpu"
    """Resource name of the GPUs: `nvidia.com/gpu`, `amd.com/gpu`, `nvidia.com/mig-1g.5gb`."""

    gpus_per_node: int = Field(ge=0)
    """Number of GPUs of a node; 0 for a pool without GPUs."""

    cpu_per_node: Quantity | None = None
    """CPUs of a node that pods can use, its allocatable: `"191450m"`. Default: unknown and not checked."""

    memory_per_node: Quantity | None = None
    """Memory of a node that pods can use, in bytes: `"1938410Mi"`. Default: unknown and not checked."""

    max_nodes: int | None = Field(default=None, ge=1)
    """Maximum number of nodes in the pool. Default: unknown and not checked."""

    architecture: Architecture | None = None
    """CPU architecture of the nodes. Default: unknown and not checked."""

    network: PodNetwork | None = None
    """The fast network of the nodes. Default: none."""


def is_gpu(resource: str) -> bool:
    """Whether a resource is GPUs or parts of them: `nvidia.com/gpu`, `amd.com/gpu`, `nvidia.com/mig-1g.5gb`."""
    return resource.endswith("/gpu") or "/mig-" in resource
