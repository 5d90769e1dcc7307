"""What people say of a GPU node pool: one spec a provider, told apart by `provider`."""

from typing import Literal

from pydantic import Field, field_validator

from ..model import Items, Model
from ..names import DnsSubdomain
from ..runtimes.placement import Placement
from ..runtimes.refusal import refuse, refuse_all
from ..runtimes.scheduling import Toleration
from ..runtimes.wire import Quantity

POOL_LABEL = "training-platform/node-pool"
"""Label that says which pool a node belongs to, the same on every provider; its value is the pool's name.

The prefix is this project's name: a valid one, in nobody's domain, and in none that a cloud or Kubernetes reserves.
"""


class Taint(Model):
    """What keeps pods off a node that don't tolerate it."""

    key: str = Field(min_length=1)
    """`nvidia.com/gpu`."""

    value: str | None = None
    """Default: none."""

    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]
    """What happens to a pod that doesn't tolerate it."""


GPU_TAINT = Taint(key="nvidia.com/gpu", value="present", effect="NoSchedule")
"""Keeps everything off GPU nodes that doesn't ask for GPUs. Key and value are GKE's, which puts them there itself."""


class GpuNodes(Model):
    """What is the same for every provider."""

    gpus_per_node: int = Field(ge=1)
    """GPUs of one node."""

    gpu_resource: str = Field("nvidia.com/gpu", pattern=r"^[a-z0-9.-]+/[A-Za-z0-9._-]+$")
    """Resource that a pod asks for to get GPUs: `nvidia.com/gpu`, `amd.com/gpu`, `nvidia.com/mig-1g.5gb`."""

    labels: dict[str, str] = Field(default_factory=dict)
    """Further labels of the nodes. The pool's own label comes in any case."""

    @field_validator("labels")
    @classmethod
    def _leave_the_pools_label_alone(cls, labels: dict[str, str]) -> dict[str, str]:
        if POOL_LABEL in labels:
            message = f"the label {POOL_LABEL} is the pool's name on every provider."
            refuse_all([((POOL_LABEL,), refuse("POOL-01", message, "Take it out."))])
        return labels


class SimulatedPool(GpuNodes):
    """Nodes that exist as objects only: kwok plays their kubelet. For the local environment."""

    provider: Literal["simulated"]

    nodes: int = Field(ge=1, le=1000)
    """How many."""

    cpu: Quantity = "64"
    """CPUs of one node."""

    memory: Quantity = "512Gi"
    """Memory of one node."""

    pods: int = Field(110, ge=1)
    """Pods that fit on one node."""


class ExistingPool(GpuNodes):
    """Nodes that are there already, made by someone else, found by name."""

    provider: Literal["existing"]

    nodes: Items[DnsSubdomain]
    """Their names, one at least."""

    taints: Items[Taint] = ()
    """Taints that they carry already. Pods tolerate them; the GPU taint is not put beside them. Default: none."""

    @field_validator("nodes")
    @classmethod
    def _have_nodes(cls, nodes: tuple[str, ...]) -> tuple[str, ...]:
        if not nodes:
            raise refuse("POOL-02", "the pool has no nodes.", "Name the nodes, or take the pool out.")
        return nodes


GpuNodePoolSpec = SimulatedPool | ExistingPool


def pool_labels(pool: str, spec: GpuNodes) -> dict[str, str]:
    """Labels of the nodes of a pool."""
    return {**spec.labels, POOL_LABEL: pool}


def pool_taints(spec: GpuNodePoolSpec) -> tuple[Taint, ...]:
    """Taints of the nodes of a pool: those that others have put there, else ours."""
    return (spec.taints if isinstance(spec, ExistingPool) else ()) or (GPU_TAINT,)


def placement(pool: str, spec: GpuNodePoolSpec) -> Placement:
    """What pods need to land in a pool, and what they find there. Plain values: no cloud is asked."""
    return Placement(
        node_selector={POOL_LABEL: pool},
        tolerations=tuple(map(_toleration, pool_taints(spec))),
        gpu_resource=spec.gpu_resource,
        gpus_per_node=spec.gpus_per_node,
    )


def _toleration(taint: Taint) -> Toleration:
    # The value of the GPU taint differs from cloud to cloud, and says nothing more.
    if taint.value is None or taint.key == GPU_TAINT.key:
        return Toleration(key=taint.key, operator="Exists", effect=taint.effect)
    return Toleration(key=taint.key, operator="Equal", value=taint.value, effect=taint.effect)
