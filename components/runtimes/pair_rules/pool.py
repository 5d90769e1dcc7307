"""Whether the pods of a TrainJob can start on the nodes of a pool."""

from collections.abc import Iterator

from ...k8s.scheduling import Toleration
from ...validation.violation import Severity, Violation
from ..fit import PlacedJob, check_fit, gpus_of
from ..rules.rule import violation
from ..rules.view import LocatedJob
from ..topology import INITIALIZERS, LAUNCHER, NODE
from .pair import Pair
from .paths import train_job_path
from .rule import pair_rule


def _trains(pair: Pair, job: LocatedJob) -> bool:
    """Whether the pods of a job are for the pool: they train, or request GPUs."""
    mpi = pair.view.mpi if pair.view else None
    training = (NODE, LAUNCHER) if mpi and mpi.run_launcher_as_node else (NODE,)
    return job.name in training or any(gpus_of(at.model) for at in (job.pod.containers if job.pod else ()))


def pool_violations(pair: Pair) -> Iterator[Violation]:
    """What does not fit the nodes of the pool: PLC-01 to PLC-05 and PLC-08, as for runtimes (`fit.check_fit`)."""
    if pair.pool is None or pair.result is None or pair.runtime is None:
        return
    jobs = [
        PlacedJob(job.index, job.model, job.pod.spec)
        for job in pair.result.jobs
        if job.pod and job.name not in INITIALIZERS and _trains(pair, job)
    ]
    for found in check_fit(pair.result.runtime, jobs, pair.pool):
        if found.rule != "PLC-07":
            yield Violation(found.rule, train_job_path(pair, found.path), found.message, found.fix)


@pair_rule("PLC-07")
def nodes_are_there(pair: Pair) -> Iterator[Violation]:
    """The pods of a TrainJob need more nodes at the same time than the pool can have.

    A training pod that requests no GPUs takes a node. Initializers take none. The pods that do not fit stay Pending,
    and the training never starts.
    Source: `explain.capacity` and `fit.min_nodes` of this package, for the JobSet of Trainer@v2.0.0, v2.2.0 and v2.3.0.
    """
    capacity = pair.explanation.capacity if pair.explanation else None
    if capacity and capacity.available is not None and capacity.nodes > capacity.available:
        told = pair.trainer is not None and pair.trainer.num_nodes is not None
        yield violation(
            "spec.trainer.numNodes" if told else "spec.runtimeRef.name",
            f"The pods need {capacity.nodes} nodes at the same time, but the pool can have at most "
            f"{capacity.available}: the training never starts.",
            "Request fewer nodes, or raise the pool's maximum." if told else "Set trainer.numNodes to fewer nodes.",
        )


@pair_rule("PLC-09")
def taints_are_tolerated(pair: Pair) -> Iterator[Violation]:
    """The pods of a TrainJob must run on the nodes of the pool, and do not tolerate their taints.

    This applies to pods whose node selector has the labels of the pool. Taints with the effect PreferNoSchedule are not
    checked. The pods stay Pending.
    Source: pkg/scheduler/framework/plugins/tainttoleration@kubernetes@v1.37.2.
    """
    if pair.pool is None or not pair.pool.node_selector or pair.result is None:
        return
    for job in pair.result.jobs:
        selector = (job.pod.spec.node_selector if job.pod else None) or {}
        if job.pod is None or not pair.pool.node_selector.items() <= selector.items():
            continue
        missing = [
            each.key or "every taint"
            for each in pair.pool.tolerations
            if each.effect != "PreferNoSchedule"
            and not any(_tolerates(own, each) for own in job.pod.spec.tolerations or ())
        ]
        if missing:
            yield violation(
                train_job_path(pair, f"{job.path}.template"),
                f"The pods of {job.name!r} must run on the pool's nodes, but do not tolerate their taint "
                f"{', '.join(missing)}: they are never scheduled.",
                "Add the toleration to the patch, or use a runtime that has it.",
            )


def _tolerates(own: Toleration, taint: Toleration) -> bool:
    """Whether a toleration covers the taint that another one is for."""
    if own.effect not in (None, "", taint.effect):
        return False
    if not own.key:
        return own.operator == "Exists"
    exists = own.operator == "Exists" or (own.value or "") == (taint.value or "")
    return own.key == taint.key and (exists or taint.operator == "Exists")


@pair_rule("PLC-06", severity=Severity.WARNING)
def processes_have_gpus(pair: Pair) -> Iterator[Violation]:
    """A TrainJob starts more processes on a node than its container has GPUs.

    Several processes then share a GPU. A container without GPUs is taken to get all of a node's.
    Source: pkg/runtime/framework/plugins/torch/torch.go:121-136, mpi/mpi.go:124-139@trainer@v2.3.0.
    """
    processes = pair.trainer.num_proc_per_node if pair.trainer else None
    job = pair.result.job(NODE) if pair.result else None
    if pair.pool is None or not pair.pool.gpus_per_node or job is None or job.pod is None:
        return
    gpus = sum(gpus_of(at.model) for at in job.pod.containers if not at.init) or pair.pool.gpus_per_node
    if isinstance(processes, int) and processes > gpus and pair.view and pair.view.policy in ("torch", "mpi"):
        yield violation(
            "spec.trainer.numProcPerNode",
            f"{processes} processes start on each node, which has {gpus} GPUs.",
            f"Set it to {gpus}, or remove it.",
        )
