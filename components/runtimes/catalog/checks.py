"""Arguments that contradict each other, found before anything is built of them. Ids of violations begin with CAT."""

from collections.abc import Iterator

from ...k8s.image_architecture import image_architecture
from ...k8s.quantities import amount
from ...validation.violation import Violation
from ..fit import min_nodes
from ..placement import Placement
from .options import SHARED_MEMORY, FluxOptions, MPIOptions, RuntimeOptions, TorchtuneOptions

# kubeflow/trainer/backends/kubernetes/utils.py, get_container_devices, kubeflow 0.5.0
_SDK_DEVICES = ("nvidia.com/gpu", "google.com/tpu", "huawei.com/Ascend910")
_ONE_NODE = ("ReadWriteOnce", "ReadWriteOncePod")


def check_options(options: RuntimeOptions) -> Iterator[Violation]:
    """Everything that is wrong with the arguments together."""
    yield from _gpus(options)
    if options.placement:
        yield from _nodes(options, options.placement)
    yield from _volumes(options)
    if options.pod_group and options.HAS_DEPENDENT_JOBS:
        message = (
            "the pod group needs the pods of all jobs at once, but some jobs are created when others are ready or "
            "complete: no pod is ever scheduled (Trainer 2.3.0 counts all jobs in minMember)."
        )
        yield Violation("CAT-08", "pod_group", message, "Leave it out. Kueue admits all or none without pod groups.")
    if isinstance(options, MPIOptions):
        yield from _mpi(options)
    if isinstance(options, FluxOptions):
        yield from _flux(options)
    if isinstance(options, TorchtuneOptions) and options.node_count > 1:
        message = f"torchtune trains {options.model} on one node: Trainer refuses every TrainJob with more (TJC-29)."
        yield Violation("CAT-09", "nodes", message, "Leave nodes out, and raise gpus_per_node.")


def _gpus(options: RuntimeOptions) -> Iterator[Violation]:
    placement = options.placement
    if options.gpu_resource and not options.gpus:
        message = f"{options.gpu_resource} is named, but nothing says how many each node has."
        yield Violation("CAT-02", "gpu_resource", message, "Set gpus_per_node too, or a pool.")
    if placement and options.gpus and options.gpu != placement.gpu_resource:
        message = f"GPUs are {options.gpu}, but the pool's nodes have {placement.gpu_resource}."
        yield Violation("CAT-03", "gpu_resource", message, "Leave gpu_resource out: the pool says it.")
    elif placement and options.gpus and options.gpus > placement.gpus_per_node:
        message = f"{options.gpus} GPUs a node, but a node of the pool has {placement.gpus_per_node}."
        yield Violation("CAT-04", "gpus_per_node", message, "Ask for fewer GPUs a node, and for more nodes.")
    limited = options.gpus or options.memory_per_node is not None
    if limited and options.cpus_per_node is None and not (options.gpus and _known_to_the_sdk(options.gpu)):
        message = "the limits have no device that the SDK knows: its list_runtimes fails for everybody (SDK-05)."
        yield Violation("CAT-14", "cpus_per_node", message, "Set it: the SDK then takes the CPUs for the device.")


def _nodes(options: RuntimeOptions, nodes: Placement) -> Iterator[Violation]:
    """What does not fit the pool's nodes."""
    for rule, argument, asked, room in (
        ("CAT-15", "cpus_per_node", options.cpus_per_node, nodes.cpu_per_node),
        ("CAT-16", "memory_per_node", options.memory_per_node, nodes.memory_per_node),
    ):
        if asked is not None and room is not None and amount(asked) > amount(room):
            message = f"{asked} is more than the {room} that a node of the pool has for pods."
            yield Violation(rule, argument, message, f"Ask for {room} at most.")
    if nodes.max_nodes and nodes.gpus_per_node:
        needed = min_nodes([(options.node_count, options.gpus or 0)], nodes.gpus_per_node)
        if needed > nodes.max_nodes:
            message = f"{options.node_count} pods need {needed} nodes, but the pool has {nodes.max_nodes} at most."
            yield Violation("CAT-17", "nodes", message, "Ask for fewer nodes, or let the pool have more.")
    architecture = image_architecture(options.image or "")
    if architecture and nodes.architecture and architecture != nodes.architecture:
        message = f"{options.image} is for {architecture}, but the pool's nodes are {nodes.architecture}."
        yield Violation("CAT-18", "image", message, f"Use an image for {nodes.architecture}.")


def _known_to_the_sdk(gpu: str) -> bool:
    return gpu in _SDK_DEVICES or gpu.startswith("nvidia.com/mig-")


def _volumes(options: RuntimeOptions) -> Iterator[Violation]:
    for path in options.volumes:
        if taken := options.mounts.get(path.rstrip("/")):
            yield Violation("CAT-05", f"volumes[{path}]", f"{taken} there.", "Mount it at another path.")
    if options.node_count > 1:
        for argument, claim in options.claims.items():
            if claim.access_mode in _ONE_NODE:
                message = f"{claim.access_mode} is for one node, but {options.node_count} nodes mount {claim.name}."
                yield Violation("CAT-06", argument, message, "Use ReadWriteMany and a storage class that can do it.")
    first: dict[str, object] = {}
    for path, volume in options.volumes.items():
        if first.setdefault(volume.name, volume) != volume:
            message = f"another volume is named {volume.name} too."
            yield Violation("CAT-07", f"volumes[{path}]", message, "Rename one of them.")


def _flux(options: FluxOptions) -> Iterator[Violation]:
    if options.shared_memory is not None:
        message = f"Trainer 2.3.0 mounts a volume of its own at {SHARED_MEMORY} of Flux's nodes, without a size limit."
        yield Violation("CAT-19", "shared_memory", message, "Leave it out.")
    if options.gpus and (options.processes_per_node or 1) > 1:
        message = (
            f"Trainer 2.3.0 asks Flux for {options.gpus} GPUs for each process, and a node has {options.gpus}: "
            f"{options.processes_per_node} processes never start."
        )
        yield Violation("CAT-20", "processes_per_node", message, "Leave it out: one process has all GPUs of its node.")


def _mpi(options: MPIOptions) -> Iterator[Violation]:
    processes, gpus = options.processes_per_node, options.gpus
    if gpus and processes is None and "/mig-" in options.gpu:
        message = f"Trainer doesn't count {options.gpu} as GPUs: mpirun would start one process a node (SIL-22)."
        yield Violation("CAT-10", "processes_per_node", message, f"Set it: {gpus} is one a slice.")
    if gpus and processes is not None and processes != gpus:
        message = (
            f"{processes} processes on {gpus} GPUs: with more, some share a GPU; with fewer, some GPUs stand idle, and "
            "1 is taken by Trainer for the number of GPUs (SIL-23)."
        )
        yield Violation("CAT-11", "processes_per_node", message, f"Set it to {gpus}, or leave it out.")
    if options.node_count < MPIOptions.DEFAULT_NODES:
        message = "the launcher is a node, and Trainer makes at least one beside it (SIL-02): they are two or more."
        yield Violation("CAT-12", "nodes", message, "Use 2 or more, or a runtime without MPI for a single node.")
    for name, value in options.env.items():
        if isinstance(value, str) and any(mark in value for mark in '"\\\n'):
            message = "a quote, a backslash or a line break can't go through sshd to the processes on other nodes."
            yield Violation(
                "CAT-13", f"env[{name}]", message, "Set it in the training script, or in a file of a volume."
            )
