"""Binds a runtime to the nodes of a GPU pool: a copy whose pods are scheduled there, with everything they need to use
the nodes."""

from collections.abc import Iterator
from fractions import Fraction
from typing import TypeVar

from ..k8s.containers import Container, ResourceRequirements
from ..k8s.env import EnvVar
from ..k8s.invalid import InvalidRuntimeError
from ..k8s.metadata import EmbeddedMetadata
from ..k8s.pods import PodSpec, PodTemplate
from ..k8s.security import Capabilities, SecurityContext
from .editing import AnyRuntime, evolve, pod_of, replicated_jobs, with_pod_templates
from .fit import PlacedJob, check_fit, gpus_of, limits_of
from .jobset import ReplicatedJob
from .placement import Placement, PodNetwork, is_gpu
from .topology import INITIALIZERS, LAUNCHER, NODE, forward_env_over_ssh

Item = TypeVar("Item")


def bind_to_pool(runtime: AnyRuntime, placement: Placement, *, initializers: bool = False) -> AnyRuntime:
    """Copy `runtime` so that its GPU jobs are scheduled on the nodes of `placement`, one pod on each node's GPUs.

    GPU jobs are the replicated jobs that train: `node`, `launcher` if the launcher is a node (`mpi.runLauncherAsNode`),
    and any other job whose containers request GPUs. Node selectors and tolerations are added, never overwritten. A
    container `node` that requests no GPUs gets all of the node's; one that requests fewer keeps its number. With
    `initializers` (default False), the initializers are scheduled there too, without GPUs.

    Containers with GPUs use the fast network, if the placement has one: its network cards, environment, mounts and
    capabilities, and what the pod needs for them. Existing settings of the runtime are kept here too. The variables of
    an MPI node reach the processes that mpirun starts if the node's command is sshd itself; otherwise `mpirun -x NAME`
    must pass them on.

    Raises InvalidRuntimeError with everything that does not fit (`fit.check_fit`).
    """
    jobs = tuple(_placed_jobs(runtime, initializers))
    if found := tuple(check_fit(runtime, jobs, placement)):
        raise InvalidRuntimeError(found)

    def change(_: ReplicatedJob, template: PodTemplate) -> PodTemplate:
        return _with_devices(evolve(template, spec=lambda pod: pod and _with_scheduling(pod, placement)), placement)

    return with_pod_templates(runtime, change, tuple(each.job.name for each in jobs)) if jobs else runtime


def _placed_jobs(runtime: AnyRuntime, initializers: bool) -> Iterator[PlacedJob]:
    policy = runtime.spec.ml_policy
    mpi = policy.mpi if policy else None
    training = (NODE, LAUNCHER) if mpi and mpi.run_launcher_as_node else (NODE,)
    for index, job in enumerate(replicated_jobs(runtime)):
        pod = pod_of(job)
        if pod is None:
            continue
        asks = any(is_gpu(resource) for container in pod.containers for resource in limits_of(container))
        if initializers if job.name in INITIALIZERS else job.name in training or asks:
            yield PlacedJob(index, job, pod)


def _with_scheduling(pod: PodSpec, placement: Placement) -> PodSpec:
    selector = {**(pod.node_selector or {}), **placement.node_selector}
    present = pod.tolerations or ()
    tolerations = (*present, *(toleration for toleration in placement.tolerations if toleration not in present))
    return evolve(pod, node_selector=selector or pod.node_selector, tolerations=tolerations or pod.tolerations)


def _with_devices(template: PodTemplate, placement: Placement) -> PodTemplate:
    """The pod with its GPUs, and with the network for the containers that have GPUs."""
    pod = template.spec
    if pod is None:
        return template
    containers = tuple(_with_gpus(container, placement) for container in pod.containers)
    network = placement.network
    if network is None or not any(map(gpus_of, containers)):
        return evolve(template, spec=evolve(pod, containers=containers))
    containers = tuple(_with_network(c, network, placement) if gpus_of(c) else c for c in containers)
    spec = evolve(
        pod,
        containers=containers,
        init_containers=_append_missing(pod.init_containers, network.sidecars, "name"),
        volumes=_append_missing(pod.volumes, network.volumes, "name"),
    )
    metadata = template.metadata
    if network.annotations:
        present = (metadata and metadata.annotations) or {}
        metadata = evolve(metadata or EmbeddedMetadata(), annotations={**network.annotations, **present})
    return evolve(template, spec=spec, metadata=metadata)


def _with_gpus(container: Container, placement: Placement) -> Container:
    if container.name != NODE or not placement.gpus_per_node or gpus_of(container):
        return container
    # A string: the SDK (kubeflow 0.5.0) reads an integer as "8.0" and then doesn't multiply it by the nodes.
    return _with_limits(container, {placement.gpu_resource: str(placement.gpus_per_node)})


def _with_network(container: Container, network: PodNetwork, placement: Placement) -> Container:
    share = Fraction(gpus_of(container), placement.gpus_per_node)
    cards = {resource: int(count * share) for resource, count in network.resources.items()}
    asked = limits_of(container)
    container = _with_limits(container, {name: str(n) for name, n in cards.items() if n and name not in asked})
    context = container.security_context
    if network.capabilities:
        context = context or SecurityContext()
        added = (context.capabilities and context.capabilities.add) or ()
        added = (*added, *(each for each in network.capabilities if each not in added))
        context = evolve(context, capabilities=evolve(context.capabilities or Capabilities(), add=added))
    present = {variable.name for variable in container.env or ()}
    env = tuple(EnvVar(name=name, value=value) for name, value in network.env.items() if name not in present)
    return forward_env_over_ssh(
        evolve(
            container,
            env=(*(container.env or ()), *env) or container.env,
            volume_mounts=_append_missing(container.volume_mounts, network.mounts, "mount_path"),
            security_context=context,
        ),
        [variable.name for variable in env],
    )


def _with_limits(container: Container, more: dict[str, str]) -> Container:
    if not more:
        return container
    limits = {**limits_of(container), **more}
    return evolve(container, resources=evolve(container.resources or ResourceRequirements(), limits=limits))


def _append_missing(present: tuple[Item, ...] | None, more: tuple[Item, ...], key: str) -> tuple[Item, ...] | None:
    """The present items and those of `more` with another `key`."""
    taken = {getattr(item, key) for item in present or ()}
    return (*(present or ()), *(item for item in more if getattr(item, key) not in taken)) or present
