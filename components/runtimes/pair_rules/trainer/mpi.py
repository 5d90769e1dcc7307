"""TrainJobs for MPI: nodes, launcher, slots."""

from collections.abc import Iterator

from ....validation.violation import Severity, Violation
from ...rules.rule import violation
from ...rules.view import TRAINER
from ...topology import LAUNCHER, NODE
from ..pair import Pair
from ..resources import counted_gpus, runtime_gpus
from ..rule import pair_rule


@pair_rule("TJC-23")
def mpi_nodes_have_their_jobs(pair: Pair) -> Iterator[Violation]:
    """A TrainJob requests two or more nodes, and its MPI runtime has no job `node` or `launcher`.

    This applies to runtimes whose launcher is also a node.
    Source: pkg/runtime/framework/plugins/mpi/mpi.go:89-93@trainer@v2.3.0.
    """
    view, nodes = pair.view, (pair.trainer and pair.trainer.num_nodes) or 1
    if view is None or view.mpi is None or not view.mpi.run_launcher_as_node or nodes < 2:
        return
    missing = [name for name in (NODE, LAUNCHER) if view.job(name) is None]
    if missing:
        yield violation(
            "spec.trainer.numNodes",
            f"numNodes is {nodes}, but the runtime has no job {' and no job '.join(map(repr, missing))}: Trainer "
            "rejects the TrainJob.",
            "Remove numNodes, or use a runtime with both jobs.",
        )


@pair_rule("SIL-02", "SDK-11", severity=Severity.WARNING)
def mpi_has_two_nodes(pair: Pair) -> Iterator[Violation]:
    """A TrainJob requests one node of an MPI runtime whose launcher is also a node.

    Trainer creates the launcher and at least one other node, so the training runs on two nodes. The SDK reports such a
    TrainJob as running while only the node runs.
    Source: pkg/runtime/framework/plugins/mpi/mpi.go:119-121@trainer@v2.3.0, kubeflow/trainer issue 3954;
    kubeflow/trainer/backends/kubernetes/backend.py __get_trainjob_from_cr@kubeflow-sdk@0.5.0.
    """
    view, nodes = pair.view, pair.trainer.num_nodes if pair.trainer else None
    if view and view.mpi and view.mpi.run_launcher_as_node and nodes is not None and nodes < 2 and view.job(NODE):
        yield violation(
            "spec.trainer.numNodes",
            f"numNodes is {nodes}, but the training gets 2 nodes: the launcher, which is a node too, and one other.",
            "Set it to 2, or use a runtime without MPI for one node.",
        )


@pair_rule("SIL-21", severity=Severity.WARNING)
def mpi_slots_match_gpus(pair: Pair) -> Iterator[Violation]:
    """A TrainJob for MPI sets `resourcesPerNode` without GPUs, and the runtime's containers have GPUs.

    The containers keep the runtime's GPUs, but Trainer counts only the TrainJob's for the slots of the hostfile: one
    process starts on each node. This applies if neither the TrainJob nor the runtime sets `numProcPerNode`. Trainer 2.0
    and 2.2 take the GPUs away (SIL-43).
    Source: pkg/runtime/framework/plugins/mpi/mpi.go:124-139,
    pkg/runtime/core/trainingruntime.go:199-238@trainer@v2.3.0.
    """
    trainer, mpi = pair.trainer, pair.view.mpi if pair.view else None
    if trainer is None or mpi is None or trainer.resources_per_node is None or pair.release.resources != "merged":
        return
    told = trainer.num_proc_per_node is not None or (mpi.num_proc_per_node or 1) != 1
    gpus = runtime_gpus(pair)
    if not told and gpus > 1 and counted_gpus(trainer.resources_per_node) == 0:
        yield violation(
            "spec.trainer.resourcesPerNode",
            f"The containers keep the runtime's {gpus} GPUs, but only one process starts on each node: Trainer counts "
            "the GPUs of resourcesPerNode, which has none.",
            f"Set numProcPerNode to {gpus}, or repeat the GPUs in resourcesPerNode.",
        )


@pair_rule("SIL-20")
def mpi_hosts_have_slots(pair: Pair) -> Iterator[Violation]:
    """A TrainJob for MPI sets `numProcPerNode` to less than 1.

    The hostfile then has no slots, or a negative number.
    Source: pkg/runtime/framework/plugins/mpi/mpi.go:124-127,319-327@trainer@v2.3.0.
    """
    processes = pair.trainer.num_proc_per_node if pair.trainer else None
    if pair.view and pair.view.mpi and isinstance(processes, int) and processes < 1:
        yield violation(
            "spec.trainer.numProcPerNode",
            f"numProcPerNode is {processes}: mpirun could start no process.",
            "Set it to the number of processes per node, or remove it for the runtime's number.",
        )


PASSED_ON = ("OMPI_", "PMIX_", "NCCL", "PYTHON", "UCX", "MV2")
"""How variables begin that mpirun or DeepSpeed's launcher pass on by themselves."""


@pair_rule("SIL-46", severity=Severity.WARNING)
def mpi_variables_reach_the_processes(pair: Pair) -> Iterator[Violation]:
    """A TrainJob for MPI sets a variable that does not reach the processes on other nodes.

    mpirun starts them by ssh, and an ssh session has none of its container's variables. `mpirun -x NAME` passes a
    variable on, and so does sshd if its configuration names it. Variables that occur in the TrainJob's command or
    arguments, or in the command of the nodes, are not reported.
    Source: pkg/runtime/framework/plugins/jobset/builder.go:115-158@trainer@v2.3.0; mpirun(1)@openmpi@v4.1.
    """
    node = pair.view.job(NODE) if pair.view and pair.view.mpi else None
    at = node.container(NODE) if node else None
    if pair.trainer is None or at is None:
        return
    texts = [*(at.model.command or ()), *(at.model.args or ())]
    texts += [*(pair.trainer.command or ()), *(pair.trainer.args or ())]
    for index, variable in enumerate(pair.trainer.env or ()):
        known = variable.name.startswith(PASSED_ON) or any(variable.name in text for text in texts)
        if not known:
            yield violation(
                f"spec.trainer.env[{index}]",
                f"{variable.name} is set on the launcher, but not for the processes that mpirun starts on other nodes.",
                f"Add -x {variable.name} to mpirun in the command.",
            )


@pair_rule("SIL-42", severity=Severity.WARNING)
def mpi_nodes_have_one_image(pair: Pair) -> Iterator[Violation]:
    """A TrainJob for MPI sets an image, and the nodes keep the image of the runtime.

    The image reaches only the job with the trainer label, the launcher. mpirun starts the processes on the nodes, in
    the runtime's image.
    Source: pkg/runtime/framework/plugins/jobset/builder.go:115-150@trainer@v2.3.0.
    """
    view, image = pair.view, pair.trainer.image if pair.trainer else None
    node = view.job(NODE) if view and view.mpi else None
    at = node.container(NODE) if node and node.ancestor != TRAINER else None
    if image and view and view.trainer and at and at.model.image and at.model.image != image:
        yield violation(
            "spec.trainer.image",
            f"Only the job {view.trainer.name!r} gets the image: the nodes, on which mpirun starts processes, keep "
            f"{at.model.image}.",
            "Use a runtime with this image.",
        )
