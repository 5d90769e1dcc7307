"""Checks whether the pods of a runtime can be scheduled on the nodes of a placement. Ids of violations begin with
PLC."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from math import ceil

from ..k8s.containers import Container
from ..k8s.image_architecture import image_architecture
from ..k8s.pods import PodSpec
from ..k8s.quantities import amount
from ..validation.violation import Violation
from .api import BaseTrainingRuntime
from .editing import JOBS
from .jobset import ReplicatedJob
from .placement import Placement, is_gpu
from .topology import INITIALIZERS, NODE

_ARCHITECTURE = "kubernetes.io/arch"

_NETWORKS = ("vpc.amazonaws.com/efa", "rdma/")
"""How resources begin that only nodes with a fast network have."""


@dataclass(frozen=True)
class PlacedJob:
    """A replicated job whose pods are to land on a placement's nodes."""

    index: int
    job: ReplicatedJob
    pod: PodSpec

    @property
    def path(self) -> str:
        """Where its pod spec stands."""
        return f"{JOBS}[{self.index}].template.spec.template.spec"


def limits_of(container: Container) -> Mapping[str, int | str]:
    """The resource limits of a container."""
    return (container.resources and container.resources.limits) or {}


def gpus_of(container: Container) -> int:
    """The number of GPUs that a container requests."""
    return sum(int(amount(count)) for resource, count in limits_of(container).items() if is_gpu(resource))


def check_fit(runtime: BaseTrainingRuntime, jobs: Iterable[PlacedJob], placement: Placement) -> Iterator[Violation]:
    """Yield everything about the `jobs` of a runtime that does not fit the nodes of `placement`.

    PLC-01 a node selector with another value, PLC-02 more GPUs than a node has, PLC-03 GPUs of another kind, PLC-04
    more CPU or memory, PLC-05 more network cards, PLC-06 more processes than GPUs, PLC-07 more nodes than the pool can
    have, PLC-08 an image of another architecture. Fields that the placement does not set are not checked.
    """
    jobs = tuple(jobs)
    for each in jobs:
        yield from _selector(each, placement)
        for index, container in enumerate(each.pod.containers):
            path = f"{each.path}.containers[{index}]"
            yield from _devices(container, path, placement)
            yield from _image(container, path, placement)
        yield from _check_capacity(each, placement)
    training = [each for each in jobs if each.job.name not in INITIALIZERS]
    yield from _processes(runtime, training, placement)
    yield from _nodes(runtime, training, placement)


def min_nodes(pods: Iterable[tuple[int, int]], gpus_per_node: int) -> int:
    """A lower bound for the nodes that can hold all pods at the same time. `pods` has pairs of a number of pods and the
    GPUs of each. A pod that is too large for any node counts as one that fills a node."""
    pods = [(count, min(gpus, gpus_per_node)) for count, gpus in pods]
    alone = sum(count for count, gpus in pods if 2 * gpus > gpus_per_node)
    return max(alone, ceil(sum(count * gpus for count, gpus in pods) / gpus_per_node))


def _selector(each: PlacedJob, placement: Placement) -> Iterator[Violation]:
    nodes = dict(placement.node_selector)
    if placement.architecture:
        nodes[_ARCHITECTURE] = placement.architecture
    for key, value in (each.pod.node_selector or {}).items():
        if (given := nodes.get(key, value)) != value:
            message = f"{key} is {value!r}, but the pool's nodes have {given!r}, so no node matches."
            yield Violation("PLC-01", f"{each.path}.nodeSelector", message, f"Remove {key} from the runtime.")


def _devices(container: Container, path: str, placement: Placement) -> Iterator[Violation]:
    cards = placement.network.resources if placement.network else {}
    for resource, count in limits_of(container).items():
        limit, asked = (
            f"{path}.resources.limits[{resource}]",
            f"Container {container.name} requests {resource}: {count}",
        )
        if is_gpu(resource) and resource != placement.gpu_resource:
            message = f"{asked}, but the pool's nodes have {placement.gpu_resource}."
            yield Violation("PLC-03", limit, message, f"Request {placement.gpu_resource}.")
        elif is_gpu(resource) and amount(count) > placement.gpus_per_node:
            message = f"{asked}, but a node of the pool has {placement.gpus_per_node}."
            yield Violation("PLC-02", limit, message, "Request fewer GPUs, or use a pool with larger nodes.")
        elif resource.startswith(_NETWORKS) and amount(count) > cards.get(resource, 0):
            message = f"{asked}, but a node of the pool has {cards.get(resource, 'none')}."
            yield Violation(
                "PLC-05", limit, message, "Remove it. A pool with that network adds the network cards itself."
            )


def _image(container: Container, path: str, placement: Placement) -> Iterator[Violation]:
    known = image_architecture(container.image or "")
    if known and placement.architecture and known != placement.architecture:
        message = f"{container.image} is for {known}, but the pool's nodes are {placement.architecture}."
        yield Violation("PLC-08", f"{path}.image", message, f"Use an image for {placement.architecture}.")


def _check_capacity(each: PlacedJob, placement: Placement) -> Iterator[Violation]:
    for resource, room in (("cpu", placement.cpu_per_node), ("memory", placement.memory_per_node)):
        asked = {path: _request(container, resource) for path, container in _containers(each)}
        if room is None or sum(asked.values()) <= amount(room):
            continue
        most = max(asked, key=lambda path: asked[path])
        total = f"{resource} of {_shown(sum(asked.values(), Decimal(0)), resource)}"
        message = f"A pod requests {total}, but a node of the pool has {room} for pods."
        yield Violation("PLC-04", f"{most}.resources", message, f"Request less {resource}, or use larger nodes.")


def _containers(each: PlacedJob) -> Iterator[tuple[str, Container]]:
    """The containers that run at the same time: containers and sidecars."""
    for field, containers in (("containers", each.pod.containers), ("initContainers", each.pod.init_containers or ())):
        for index, container in enumerate(containers):
            if field == "containers" or container.restart_policy == "Always":
                yield f"{each.path}.{field}[{index}]", container


def _request(container: Container, resource: str) -> Decimal:
    requests = (container.resources and container.resources.requests) or {}
    return amount(requests.get(resource, limits_of(container).get(resource, 0)))


def _shown(number: Decimal, resource: str) -> str:
    return f"{number / 1024**3:.1f}Gi" if resource == "memory" else f"{number.normalize():f}"


def _gpus(each: PlacedJob, placement: Placement) -> int:
    """GPUs of one pod. A training container that requests none gets all of a node."""
    return sum(map(gpus_of, each.pod.containers)) or placement.gpus_per_node


def _processes(runtime: BaseTrainingRuntime, jobs: Iterable[PlacedJob], placement: Placement) -> Iterator[Violation]:
    policy = runtime.spec.ml_policy
    processes = (policy and policy.mpi and policy.mpi.num_proc_per_node) or 1
    node = next((each for each in jobs if each.job.name == NODE), None)
    if node and placement.gpus_per_node and processes > (gpus := _gpus(node, placement)):
        message = f"{processes} processes start on each node, but a node has {gpus} GPUs."
        yield Violation("PLC-06", "spec.mlPolicy.mpi.numProcPerNode", message, f"Set it to {gpus}, or remove it.")


def _nodes(runtime: BaseTrainingRuntime, jobs: Iterable[PlacedJob], placement: Placement) -> Iterator[Violation]:
    if placement.max_nodes is None or not placement.gpus_per_node:
        return
    policy = runtime.spec.ml_policy
    # For MPI it is the number of launchers, and the nodes are the pods of the job `node`.
    nodes = None if policy is None or policy.mpi else policy.num_nodes
    pods = [(_pods(each.job, nodes), _gpus(each, placement)) for each in jobs]
    needed = min_nodes(pods, placement.gpus_per_node)
    if needed > placement.max_nodes:
        counted = next((each for each in jobs if each.job.name == NODE), None)
        path = (
            "spec.mlPolicy.numNodes"
            if nodes
            else f"{JOBS}[{counted.index if counted else 0}].template.spec.parallelism"
        )
        message = f"The pods need {needed} nodes at the same time, but the pool can have at most {placement.max_nodes}."
        yield Violation("PLC-07", path, message, "Request fewer nodes, or raise the pool's maximum.")


def _pods(job: ReplicatedJob, nodes: int | None) -> int:
    if job.name == NODE and nodes:
        return nodes
    return (job.replicas or 1) * ((job.template.spec and job.template.spec.parallelism) or 1)
