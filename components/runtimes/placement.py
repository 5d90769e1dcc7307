"""Placement: what pods need to land on the nodes of a GPU pool, as a pool gives it and a runtime takes it."""

from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import Field

from ..model import Items, Model
from ..violation import Violation
from .containers import Container, ResourceRequirements, VolumeMount
from .copies import JOBS, AnyRuntime, pod_of, replicated_jobs, revised, with_pods
from .invalid import InvalidRuntime
from .jobset import ReplicatedJob
from .pods import PodSpec
from .scheduling import Toleration
from .topology import INITIALIZERS, LAUNCHER, NODE
from .volumes import Volume
from .wire import Quantity

Architecture = Literal["amd64", "arm64"]
"""Instruction set of a node, as Kubernetes calls it."""


class PodNetwork(Model):
    """What makes NCCL use the fast network of a node: plain values for the pods that train there."""

    resources: Mapping[str, int] = Field(default_factory=dict)
    """Network cards of one node by the resource that pods ask for: `{"vpc.amazonaws.com/efa": 32}`. Default: none.

    A pod with all GPUs of a node gets all of them, one with fewer GPUs its share, rounded down."""

    env: Mapping[str, str] = Field(default_factory=dict)
    """Environment of the container that trains: `NCCL_*`, `FI_*`, library paths. Default: none."""

    volumes: Items[Volume] = ()
    """Volumes of the pod, folders of the node mostly. Default: none."""

    mounts: Items[VolumeMount] = ()
    """Where those are in the container that trains. Default: none."""

    annotations: Mapping[str, str] = Field(default_factory=dict)
    """Annotations of the pod: interfaces, devices. Default: none."""

    capabilities: Items[str] = ()
    """Linux capabilities of the container that trains: `IPC_LOCK` for memory that cards read. Default: none."""

    sidecars: Items[Container] = ()
    """Containers beside the one that trains, as init containers that are restarted always. Default: none."""


class Placement(Model):
    """Where GPU pods go: plain values, computed from a pool before anything of it exists."""

    node_selector: Mapping[str, str] = Field(default_factory=dict)
    """Labels that a node must have. Default: none."""

    tolerations: Items[Toleration] = ()
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


def placed(runtime: AnyRuntime, placement: Placement, *, initializers: bool = False) -> AnyRuntime:
    """A copy of `runtime` whose GPU jobs land on the nodes of `placement`, one pod on a node's GPUs.

    GPU jobs are the replicated jobs that train: `node`, `launcher` too where the launcher is a node
    (`mpi.runLauncherAsNode`), and any other whose containers ask for GPUs. Their node selectors and tolerations are
    completed, never overwritten. A container `node` that asks for no GPU gets all of the node's; one that asks for
    fewer keeps them. `initializers` (default False): the initializers land there too, without GPUs.

    Raises InvalidRuntime with everything that doesn't fit: a node selector with another value (PLC-01), more GPUs than
    a node has (PLC-02), GPUs of another kind (PLC-03).
    """
    jobs = tuple(_placed_jobs(runtime, initializers))
    misfits = [misfit for index, _, pod in jobs for misfit in _misfits(pod, placement, index)]
    if misfits:
        raise InvalidRuntime(misfits)

    def change(job: ReplicatedJob, pod: PodSpec) -> PodSpec:
        selector = {**(pod.node_selector or {}), **placement.node_selector}
        present = pod.tolerations or ()
        tolerations = (*present, *(toleration for toleration in placement.tolerations if toleration not in present))
        return revised(
            pod,
            node_selector=selector or pod.node_selector,
            tolerations=tolerations or pod.tolerations,
            containers=tuple(
                container if job.name in INITIALIZERS else _with_gpus(container, placement)
                for container in pod.containers
            ),
        )

    return with_pods(runtime, change, tuple(job.name for _, job, _ in jobs)) if jobs else runtime


def _placed_jobs(runtime: AnyRuntime, initializers: bool) -> Iterator[tuple[int, ReplicatedJob, PodSpec]]:
    policy = runtime.spec.ml_policy
    mpi = policy.mpi if policy else None
    training = (NODE, LAUNCHER) if mpi and mpi.run_launcher_as_node else (NODE,)
    for index, job in enumerate(replicated_jobs(runtime)):
        pod = pod_of(job)
        if pod is None:
            continue
        asks = any(is_gpu(resource) for container in pod.containers for resource in _limits(container))
        if initializers if job.name in INITIALIZERS else job.name in training or asks:
            yield index, job, pod


def _limits(container: Container) -> Mapping[str, int | str]:
    return (container.resources and container.resources.limits) or {}


def _with_gpus(container: Container, placement: Placement) -> Container:
    limits = _limits(container)
    if container.name != NODE or not placement.gpus_per_node or any(map(is_gpu, limits)):
        return container
    # A string: the SDK (kubeflow 0.5.0) reads an integer as "8.0" and then doesn't multiply it by the nodes.
    limits = {**limits, placement.gpu_resource: str(placement.gpus_per_node)}
    return revised(container, resources=revised(container.resources or ResourceRequirements(), limits=limits))


def _misfits(pod: PodSpec, placement: Placement, job: int) -> Iterator[Violation]:
    path = f"{JOBS}[{job}].template.spec.template.spec"
    for key, value in (pod.node_selector or {}).items():
        given = placement.node_selector.get(key, value)
        if given != value:
            message = f"{key} is {value!r}, but the pool's nodes have {given!r}: no node has both."
            yield Violation("PLC-01", f"{path}.nodeSelector", message, f"Take {key} out of the runtime.")
    for index, container in enumerate(pod.containers):
        for resource, count in filter(lambda limit: is_gpu(limit[0]), _limits(container).items()):
            limit = f"{path}.containers[{index}].resources.limits[{resource}]"
            asked = f"container {container.name} asks for {resource}: {count}"
            if resource != placement.gpu_resource:
                message = f"{asked}, but the pool's nodes have {placement.gpu_resource}."
                yield Violation("PLC-03", limit, message, f"Ask for {placement.gpu_resource}.")
            elif str(count).isdigit() and int(count) > placement.gpus_per_node:
                message = f"{asked}, but a node of the pool has {placement.gpus_per_node}."
                yield Violation("PLC-02", limit, message, "Ask for fewer GPUs, or place the runtime on larger nodes.")
