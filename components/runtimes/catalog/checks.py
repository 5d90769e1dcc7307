"""Checks for contradicting arguments, made before anything is built. Ids of violations begin with CAT."""

import re
from collections.abc import Iterator

from ...k8s.image_architecture import image_architecture
from ...k8s.quantities import amount
from ...validation.errors import yaml_repr
from ...validation.violation import Violation
from ..fit import min_nodes
from ..placement import Placement
from ..topology import KAI_SCHEDULER
from .options import SHARED_MEMORY, FluxOptions, MPIOptions, RuntimeOptions, TorchtuneOptions

# kubeflow/trainer/backends/kubernetes/utils.py, get_container_devices, kubeflow 0.5.0
_SDK_DEVICES = ("nvidia.com/gpu", "google.com/tpu", "huawei.com/Ascend910")
SHELL_NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")
"""Names of variables that a shell has, and that sshd's SetEnv takes."""

_ONE_NODE = ("ReadWriteOnce", "ReadWriteOncePod")


def check_options(options: RuntimeOptions) -> Iterator[Violation]:
    """Yield everything that is wrong with the combination of arguments."""
    yield from _gpus(options)
    if options.placement:
        yield from _nodes(options, options.placement)
    yield from _volumes(options)
    if options.scheduler == KAI_SCHEDULER and options.HAS_DEPENDENT_JOBS and not isinstance(options, MPIOptions):
        message = (
            f"{KAI_SCHEDULER} needs the pods of all jobs at once, but the nodes are created when the initializers are "
            "complete: no pod is ever scheduled (RUN-01)."
        )
        yield Violation("CAT-22", "scheduler", message, "Leave it out. Kueue admits all or none without pod groups.")
    if options.pod_group and options.HAS_DEPENDENT_JOBS:
        message = (
            "The pod group needs the pods of all jobs at the same time, but some jobs are created only when "
            "others are ready or complete, so no pod is ever scheduled (Trainer 2.3.0 counts all jobs in "
            "minMember)."
        )
        yield Violation("CAT-08", "pod_group", message, "Remove it. Kueue admits all pods or none without pod groups.")
    if isinstance(options, MPIOptions):
        yield from _mpi(options)
    if isinstance(options, FluxOptions):
        yield from _flux(options)
    if isinstance(options, TorchtuneOptions) and options.node_count > 1:
        message = f"torchtune trains {options.model} on one node: Trainer rejects every TrainJob with more (TJC-29)."
        yield Violation("CAT-09", "nodes", message, "Remove nodes, and raise gpus_per_node.")


def _gpus(options: RuntimeOptions) -> Iterator[Violation]:
    placement = options.placement
    if options.gpu_resource and not options.gpus:
        message = f"{options.gpu_resource} is set, but not the number of GPUs per node."
        yield Violation("CAT-02", "gpu_resource", message, "Set gpus_per_node as well, or a pool.")
    if placement and options.gpus and options.gpu_resource_name != placement.gpu_resource:
        message = (
            f"The runtime requests {options.gpu_resource_name}, but the pool's nodes have {placement.gpu_resource}."
        )
        yield Violation("CAT-03", "gpu_resource", message, "Remove gpu_resource; the pool sets it.")
    elif placement and options.gpus and options.gpus > placement.gpus_per_node:
        message = (
            f"The runtime requests {options.gpus} GPUs per node, but a node of the pool has {placement.gpus_per_node}."
        )
        yield Violation("CAT-04", "gpus_per_node", message, "Request fewer GPUs per node and more nodes.")
    limited = options.gpus or options.memory_per_node is not None
    has_device = options.gpus and _known_to_the_sdk(options.gpu_resource_name)
    if limited and options.cpus_per_node is None and not has_device:
        message = "The limits have no device that the SDK supports: its list_runtimes fails for all users (SDK-05)."
        yield Violation("CAT-14", "cpus_per_node", message, "Set it, so that the SDK uses the CPUs as the device.")


def _nodes(options: RuntimeOptions, nodes: Placement) -> Iterator[Violation]:
    """Yield what does not fit the pool's nodes."""
    for rule, argument, asked, room in (
        ("CAT-15", "cpus_per_node", options.cpus_per_node, nodes.cpu_per_node),
        ("CAT-16", "memory_per_node", options.memory_per_node, nodes.memory_per_node),
    ):
        if asked is not None and room is not None and amount(asked) > amount(room):
            message = f"{asked} exceeds the {room} that a node of the pool has for pods."
            yield Violation(rule, argument, message, f"Request {room} at most.")
    if nodes.max_nodes and nodes.gpus_per_node:
        needed = min_nodes([(options.node_count, options.gpus or 0)], nodes.gpus_per_node)
        if needed > nodes.max_nodes:
            message = f"{options.node_count} pods need {needed} nodes, but the pool can have at most {nodes.max_nodes}."
            yield Violation("CAT-17", "nodes", message, "Request fewer nodes, or raise the pool's maximum.")
    architecture = image_architecture(options.image or "")
    if architecture and nodes.architecture and architecture != nodes.architecture:
        message = f"{options.image} is for {architecture}, but the pool's nodes are {nodes.architecture}."
        yield Violation("CAT-18", "image", message, f"Use an image for {nodes.architecture}.")


def _known_to_the_sdk(gpu: str) -> bool:
    return gpu in _SDK_DEVICES or gpu.startswith("nvidia.com/mig-")


def _volumes(options: RuntimeOptions) -> Iterator[Violation]:
    for path in options.volumes:
        if taken := options.reserved_mount_paths.get(path.rstrip("/")):
            yield Violation("CAT-05", f"volumes[{path}]", f"{taken} there.", "Mount it at another path.")
    if options.node_count > 1:
        for argument, claim in options.claims.items():
            if claim.access_mode in _ONE_NODE:
                message = f"{claim.access_mode} allows one node, but {options.node_count} nodes mount {claim.name}."
                yield Violation("CAT-06", argument, message, "Use ReadWriteMany and a storage class that supports it.")
    first: dict[str, object] = {}
    for path, volume in options.volumes.items():
        if first.setdefault(volume.name, volume) != volume:
            message = f"Another volume is named {volume.name} as well."
            yield Violation("CAT-07", f"volumes[{path}]", message, "Rename one of them.")


def _flux(options: FluxOptions) -> Iterator[Violation]:
    if options.shared_memory is not None:
        message = f"Trainer 2.3.0 mounts its own volume at {SHARED_MEMORY} on Flux's nodes, without a size limit."
        yield Violation("CAT-19", "shared_memory", message, "Leave it out.")
    if options.gpus and (options.processes_per_node or 1) > 1:
        message = (
            f"Trainer 2.3.0 requests {options.gpus} GPUs for each process, and a node has {options.gpus}, so "
            f"{options.processes_per_node} processes never start."
        )
        yield Violation("CAT-20", "processes_per_node", message, "Remove it. One process gets all GPUs of its node.")


def _mpi(options: MPIOptions) -> Iterator[Violation]:
    processes, gpus = options.processes_per_node, options.gpus
    resource = options.gpu_resource_name
    if gpus and processes is None and "/mig-" in resource:
        message = f"Trainer does not count {resource} as GPUs, so mpirun would start one process per node (SIL-22)."
        yield Violation("CAT-10", "processes_per_node", message, f"Set it; {gpus} is one process per slice.")
    if gpus and processes is not None and processes != gpus:
        message = (
            f"{processes} processes cannot use {gpus} GPUs evenly: with more processes, some share a GPU; with "
            "fewer, some GPUs are idle; and Trainer replaces 1 with the number of GPUs (SIL-23)."
        )
        yield Violation("CAT-11", "processes_per_node", message, f"Set it to {gpus}, or remove it.")
    if options.node_count < MPIOptions.DEFAULT_NODES:
        message = "The launcher is a node, and Trainer creates at least one more (SIL-02), so there are two or more."
        yield Violation("CAT-12", "nodes", message, "Use 2 or more, or a runtime without MPI for a single node.")
    if options.scheduler == KAI_SCHEDULER and not options.waits_for_hosts:
        message = (
            f"with {KAI_SCHEDULER} the launcher is created together with the nodes, and has to wait for them by itself."
        )
        yield Violation("CAT-22", "wait_for_hosts", message, "Set it to true.")
    for name, value in options.env.items():
        if not SHELL_NAME.fullmatch(name):
            message = f"sshd hands no variable called {yaml_repr(name)} to the processes on other nodes."
            fix = "Use letters, digits and `_`, and begin with no digit."
            yield Violation("CAT-21", f"env[{name}]", message, fix)
        if isinstance(value, str) and any(mark in value for mark in '"\\\n'):
            message = "sshd cannot pass a quote, backslash or line break to the processes on other nodes."
            yield Violation(
                "CAT-13", f"env[{name}]", message, "Set it in the training script, or read it from a file in a volume."
            )
