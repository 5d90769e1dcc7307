"""MPI: launcher and nodes, and their order."""

from collections.abc import Iterator
from posixpath import dirname

from ....validation.violation import Severity, Violation
from ...placement import is_gpu
from ...topology import ANCESTOR_STEP, HOSTFILE, INITIALIZERS, KAI_SCHEDULER, LAUNCHER, NODE
from ..endless_commands import runs_a_script, runs_endlessly
from ..jobset.startup_order import in_order, waits_for
from ..rule import rule, violation
from ..view import TRAINER, LocatedJob, RuntimeView
from .labels import runs_without_train_job

MPI_PATH = "spec.mlPolicy.mpi"


def _roles(view: RuntimeView) -> tuple[LocatedJob, LocatedJob] | None:
    """The launcher and the node of an MPI runtime, if it has both."""
    launcher, node = view.job(LAUNCHER), view.job(NODE)
    return (launcher, node) if view.mpi and launcher and node else None


def _lacking(view: RuntimeView) -> Iterator[Violation]:
    missing = [name for name in (NODE, LAUNCHER) if view.job(name) is None]
    if view.mpi and view.jobs and missing:
        names = ", ".join(repr(job.name) for job in view.jobs)
        yield violation(
            "spec.template.spec.replicatedJobs",
            f"MPI needs a job {' and a job '.join(map(repr, missing))}; the runtime has {names}. Trainer gives "
            "SSH keys and the hostfile only to jobs with these names.",
            f"Name the jobs {NODE!r} and {LAUNCHER!r}.",
        )


@rule("TJC-23")
def mpi_jobs_have_their_names(view: RuntimeView) -> Iterator[Violation]:
    """An MPI runtime whose launcher is also a node has no job `node` or `launcher`.

    TrainJobs with two or more nodes are rejected.
    Source: pkg/runtime/framework/plugins/mpi/mpi.go:89-93@trainer@v2.3.0.
    """
    if view.mpi and view.mpi.run_launcher_as_node:
        yield from _lacking(view)


@rule("SIL-04")
def mpi_jobs_are_found(view: RuntimeView) -> Iterator[Violation]:
    """An MPI runtime whose launcher is not a node has no job `node` or `launcher`.

    Nothing is rejected, but the volumes are missing and the hostfile is empty.
    Source: pkg/runtime/framework/plugins/mpi/mpi.go:142-145,344-346@trainer@v2.3.0.
    """
    if view.mpi and not view.mpi.run_launcher_as_node:
        yield from _lacking(view)


@rule("REC-01")
def mpi_implementation_is_known(view: RuntimeView) -> Iterator[Violation]:
    """`mpiImplementation` is empty.

    The API accepts it, and its default is OpenMPI. The controller fails for every TrainJob.
    Source: pkg/runtime/framework/plugins/mpi/mpi.go:225-226@trainer@v2.3.0.
    """
    if view.mpi and view.mpi.mpi_implementation == "":
        yield violation(
            f"{MPI_PATH}.mpiImplementation",
            "mpiImplementation is '', which the controller does not support: no TrainJob would become a JobSet.",
            "Remove it, or set it to OpenMPI.",
        )


@rule("SIL-01")
def mpi_has_one_launcher(view: RuntimeView) -> Iterator[Violation]:
    """MPI's `mlPolicy.numNodes` is more than 1.

    The launcher must have the trainer label, so this number creates several launchers, each with its own mpirun, and no
    additional worker.
    Source: pkg/runtime/core/trainingruntime.go:189-197,
    pkg/runtime/framework/plugins/jobset/jobset.go:302-323@trainer@v2.3.0.
    """
    policy, launcher = view.runtime.spec.ml_policy, view.job(LAUNCHER)
    if view.mpi and policy and (policy.num_nodes or 1) > 1 and launcher and launcher.ancestor == TRAINER:
        yield violation(
            "spec.mlPolicy.numNodes",
            f"numNodes is {policy.num_nodes}: with MPI this starts {policy.num_nodes} launchers, but no more workers.",
            "Set it to 1. To change the default number of workers, set parallelism of the job 'node'; a TrainJob "
            "sets its own number.",
        )


@rule("SIL-03")
def launcher_container_is_node(view: RuntimeView) -> Iterator[Violation]:
    """The MPI launcher has no container `node`, and no trainer label by which WHR-02 would reject the runtime.

    The launcher gets no SSH keys, no hostfile and no environment, and a TrainJob's command does not reach it.
    Source: pkg/runtime/framework/plugins/mpi/mpi.go:189-201,
    pkg/runtime/framework/plugins/jobset/builder.go:126@trainer@v2.3.0.
    """
    launcher = view.job(LAUNCHER) if view.mpi else None
    if launcher is None or launcher.pod is None or launcher.ancestor == TRAINER:
        return
    if launcher.pod.spec.containers and launcher.container(NODE) is None:
        names = ", ".join(repr(container.name) for container in launcher.pod.spec.containers)
        yield violation(
            f"{launcher.pod.path}.containers",
            f"The launcher has no container {NODE!r} but {names}: Trainer gives SSH keys, hostfile and "
            "environment only to a container of this name.",
            f"Name the container {NODE!r}.",
        )


@rule("SIL-33")
def workers_keep_their_command(view: RuntimeView) -> Iterator[Violation]:
    """The MPI job `node`, or another job than the launcher, has the trainer label.

    A TrainJob's command then replaces the workers' sshd, and does not reach a launcher without the label. The latter is
    a warning, because the launcher may have its own command.
    Source: pkg/runtime/framework/plugins/jobset/builder.go:115-150@trainer@v2.3.0.
    """
    trainer, launcher = view.trainer, view.job(LAUNCHER)
    if view.mpi and trainer and launcher and trainer.name != NODE and launcher.ancestor != TRAINER:
        yield violation(
            f"{trainer.path}.template.metadata.labels[{ANCESTOR_STEP}]",
            f"The job {trainer.name!r} has the trainer label: a TrainJob's settings would go there instead of to "
            "the launcher.",
            "Set the label only on the job 'launcher'.",
            Severity.WARNING,
        )
    node = view.job(NODE) if view.mpi else None
    if node and node.ancestor == TRAINER:
        yield violation(
            f"{node.path}.template.metadata.labels[{ANCESTOR_STEP}]",
            "The job 'node' has the trainer label: a TrainJob's command would replace its sshd.",
            "Set the label only on the job 'launcher'.",
        )


@rule("SIL-34")
def mpi_jobs_run_once(view: RuntimeView) -> Iterator[Violation]:
    """An MPI job has more than one replica.

    Each replica of `node` has all workers, so the hostfile has a multiple of the nodes that the TrainJob requests. If
    the launcher has its own command and no label, this is a warning. WHR-01 reports labeled jobs.
    Source: pkg/runtime/framework/plugins/mpi/mpi.go@trainer@v2.3.0.
    """
    for job in _roles(view) or ():
        if job.replicas > 1 and job.ancestor != TRAINER:
            yield violation(
                f"{job.path}.replicas",
                f"{job.name!r} has {job.replicas} replicas: the hostfile would have {job.replicas} times as many "
                "hosts as a TrainJob requests.",
                "Set replicas to 1; the default number of workers is template.spec.parallelism.",
                Severity.ERROR if view.trainer or not runs_without_train_job(view) else Severity.WARNING,
            )


@rule("SIL-20")
def mpi_hosts_have_slots(view: RuntimeView) -> Iterator[Violation]:
    """`mpi.numProcPerNode` is less than 1.

    The hostfile then has no slots, or a negative number.
    Source: pkg/runtime/framework/plugins/mpi/mpi.go:319,327@trainer@v2.3.0.
    """
    count = view.mpi.num_proc_per_node if view.mpi else None
    if count is not None and count < 1:
        yield violation(
            f"{MPI_PATH}.numProcPerNode",
            f"numProcPerNode is {count}: mpirun could start no process.",
            "Set it to the number of processes per node, or to 1 for one per GPU.",
        )


@rule("SIL-36")
def launcher_waits_for_nodes(view: RuntimeView) -> Iterator[Violation]:
    """The MPI launcher does not wait for the nodes to be ready.

    Its Job is created immediately, and mpirun runs before the workers' sshd. This is a warning if the launcher is
    listed first, as in upstream's earlier runtimes, where mpirun's retries are often sufficient (executed: one restart
    of the launcher). It is also a warning if the launcher may wait by itself, in an init container or in a script.
    startupPolicy InOrder with `node` listed first is equivalent to dependsOn (executed). KAI's scheduler places no pod
    before all jobs have theirs (RUN-01), so there the launcher must wait in an init container; one that reads the
    hostfile counts.
    Source: OMPI_MCA_plm_rsh_args retries a connection ten times: pkg/constants/constants.go@trainer@v2.3.0.
    """
    roles = _roles(view)
    if not roles:
        return
    launcher, node = roles
    late = launcher.index < node.index
    if (in_order(view) and not late) or NODE in waits_for(view, launcher):
        return
    # It means to wait; why it cannot is told by JSW-01 and JSW-02.
    if any(dependency.name == NODE for dependency in launcher.model.depends_on or ()):
        return
    path = f"{launcher.path}.dependsOn"
    fix = "List 'node' before 'launcher', and give 'launcher' dependsOn [{name: node, status: Ready}]."
    if any(pod.spec.scheduler_name == KAI_SCHEDULER for pod in view.pods):
        if _reads_the_hostfile(launcher):
            return
        fix = f"Have an init container of 'launcher' wait until every host of {HOSTFILE} answers by ssh."
    if in_order(view):
        yield violation(
            path, "The nodes are created only after the launcher is ready, so its mpirun finds no nodes.", fix
        )
    else:
        message = (
            "The launcher does not wait for 'node': its mpirun starts before the nodes' sshd, and with "
            "backoffLimit 0 the first failure is final."
        )
        yield violation(path, message, fix, Severity.WARNING if late or _may_wait(launcher) else Severity.ERROR)


def _reads_the_hostfile(launcher: LocatedJob) -> bool:
    return launcher.pod is not None and any(
        dirname(HOSTFILE) in {mount.mount_path.rstrip("/") for mount in at.model.volume_mounts or ()}
        for at in launcher.pod.containers
        if at.init and not at.sidecar
    )


def _may_wait(launcher: LocatedJob) -> bool:
    at = launcher.container(NODE)
    prepared = launcher.pod is not None and any(other.init and not other.sidecar for other in launcher.pod.containers)
    return prepared or (at is not None and runs_a_script(at))


@rule("SIL-06", severity=Severity.WARNING)
def node_readiness_is_probed(view: RuntimeView) -> Iterator[Violation]:
    """The MPI launcher waits for nodes that have no readiness probe.

    A pod without a readiness probe is ready as soon as its container runs, which can be before sshd listens.
    Source: pkg/controllers/jobset_controller.go:484-492@jobset@v0.12.0.
    """
    roles = _roles(view)
    if not roles or roles[1].pod is None or not (in_order(view) or NODE in waits_for(view, roles[0])):
        return
    pod = roles[1].pod
    at = pod.container(NODE) or next(iter(pod.containers), None)
    if at and not any(container.model.readiness_probe or container.model.startup_probe for container in pod.containers):
        yield violation(
            f"{at.path}.readinessProbe",
            "The nodes have no readiness probe, so they are ready before sshd listens.",
            "Add readinessProbe {tcpSocket: {port: 2222}, periodSeconds: 1}, with the port of your sshd.",
        )


@rule("SIL-41", severity=Severity.WARNING)
def mpi_has_one_group_of_workers(view: RuntimeView) -> Iterator[Violation]:
    """An MPI runtime has a job of workers that is called neither `node` nor `launcher`.

    Such a job runs sshd or requests GPUs. Trainer adds keys and lines of the hostfile only for jobs with these two
    names. Other jobs occupy GPUs that mpirun never uses.
    Source: pkg/runtime/framework/plugins/mpi/mpi.go:142-210,319-346@trainer@v2.3.0; kubeflow/trainer issue 4064.
    """
    if not _roles(view):
        return
    for job in view.jobs:
        if job.name in {NODE, LAUNCHER, *INITIALIZERS} or job.pod is None:
            continue
        containers = [at for at in job.pod.containers if not at.init]
        limits = (at.model.resources.limits for at in containers if at.model.resources)
        gpus = any(is_gpu(name) for amounts in limits for name in amounts or {})
        if gpus or any(runs_endlessly(at) and "sshd" in " ".join(at.model.command or ()) for at in containers):
            yield violation(
                f"{job.path}.name",
                f"The workers of {job.name!r} get no ssh key and are not in the hostfile: Trainer 2.3.0 knows one "
                f"group of workers, the job {NODE!r}.",
                f"Remove the job, and give {NODE!r} more pods; or make a runtime of its own for it.",
            )
