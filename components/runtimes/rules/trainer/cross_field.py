"""Fields that are valid by themselves and do not work together, which no component of the cluster reports."""

from collections.abc import Iterator

from ....validation.violation import Severity, Violation
from ...topology import KAI_SCHEDULER, LAUNCHER, NODE
from ..jobset.startup_order import in_order, waits_for
from ..jobset.success_policy import counted_jobs
from ..rule import rule, violation
from ..view import JOBSET_PATH, LocatedJob, RuntimeView, claim_templates
from .frameworks import counted_container, gpu_amounts

DEFAULT_SCHEDULER = "default-scheduler"
ONE_NODE = {"ReadWriteOnce", "ReadWriteOncePod"}


@rule("RUN-01", severity=Severity.WARNING)
def pod_group_without_depends_on(view: RuntimeView) -> Iterator[Violation]:
    """A runtime with a pod group has jobs that depend on others.

    The pod group counts the pods of all jobs, and the scheduler places no pod before all exist. Pods of dependent jobs
    are created only when the other jobs are ready, so nothing is ever scheduled. KAI's scheduler creates such a group
    for every JobSet.
    Source: pkg/runtime/framework/plugins/volcano/volcano.go Build, coscheduling.go Build@trainer@v2.3.0; read in
    pkg/podgrouper/podgrouper/plugins/jobset/jobset_grouper.go@KAI-Scheduler@20e273b, seen on its v0.16.4 by
    NVIDIA/cluster-readiness-engine.
    """
    groups = view.runtime.spec.pod_group_policy
    waiting = [job.name for job in view.jobs[1:] if job.model.depends_on or in_order(view)]
    kai = next((pod for pod in view.pods if pod.spec.scheduler_name == KAI_SCHEDULER), None)
    if kai and waiting:
        last = view.jobs[-1]
        yield violation(
            f"{JOBSET_PATH}.startupPolicy" if in_order(view) else f"{_first_waiting(view).path}.dependsOn",
            f"{KAI_SCHEDULER} places no pod of a JobSet before all of its jobs have theirs, and the pods of "
            f"{', '.join(map(repr, waiting))} are created only when others are ready or complete: none would be "
            "scheduled.",
            "Remove it, and have an init container of 'launcher' wait until every host of /etc/mpi/hostfile answers."
            if view.mpi and last.name == LAUNCHER and not waits_for(view, last, "Complete")
            else f"Remove schedulerName {KAI_SCHEDULER}. Kueue admits all or none without pod groups.",
        )
    if groups and (groups.volcano is not None or groups.coscheduling is not None) and waiting:
        yield violation(
            "spec.podGroupPolicy",
            f"The pod group needs all pods at once, and {', '.join(map(repr, waiting))} are created only when "
            "others are ready or complete: no pod would ever be scheduled.",
            "Remove podGroupPolicy. Kueue admits all pods or none without pod groups.",
        )


def _first_waiting(view: RuntimeView) -> LocatedJob:
    return next(job for job in view.jobs[1:] if job.model.depends_on)


@rule("RUN-09", severity=Severity.WARNING)
def gangs_have_their_scheduler(view: RuntimeView) -> Iterator[Violation]:
    """A runtime has a pod group of Volcano, and pods with another scheduler.

    Trainer creates the group and annotates the pods, but does not set schedulerName. Another scheduler places the pods
    one by one, without the group.
    Source: pkg/runtime/framework/plugins/volcano/volcano.go EnforcePodGroupPolicy@trainer@v2.3.0.
    """
    groups = view.runtime.spec.pod_group_policy
    for pod in view.pods if groups and groups.volcano is not None else ():
        name = pod.spec.scheduler_name or DEFAULT_SCHEDULER
        if name == DEFAULT_SCHEDULER:
            yield violation(
                f"{pod.path}.schedulerName",
                f"The pods are scheduled by {name}, which ignores Volcano's pod groups.",
                "Set schedulerName to volcano.",
            )


@rule("RUN-03", severity=Severity.WARNING)
def shared_claims_can_be_shared(view: RuntimeView) -> Iterator[Violation]:
    """A claim that only one node can mount is mounted by several pods of a job.

    Pods on other nodes than the first stay Pending.
    Source: api/jobset/v1alpha2/jobset_types.go VolumeClaimPolicies@jobset@v0.12.0: a JobSet's pods share its claims.
    """
    for path, name, template in claim_templates(view):
        modes = set((template.spec and template.spec.access_modes) or ())
        for job in view.jobs:
            mounts = {
                mount.name for at in (job.pod.containers if job.pod else ()) for mount in at.model.volume_mounts or ()
            }
            if name in mounts and job.pods * job.replicas > 1 and modes and modes <= ONE_NODE:
                yield violation(
                    f"{path}.spec.accessModes",
                    f"{job.pods * job.replicas} pods of {job.name!r} mount {name!r}, which only one node can mount.",
                    "Use ReadWriteMany, and a storage class that supports it.",
                )


@rule("RUN-04", severity=Severity.WARNING)
def processes_match_gpus(view: RuntimeView) -> Iterator[Violation]:
    """MPI's `numProcPerNode` differs from the number of GPUs of a node.

    With fewer processes some GPUs are idle; with more, some processes share a GPU. If it is 1, Trainer uses the number
    of GPUs.
    Source: pkg/runtime/framework/plugins/mpi/mpi.go:124-139@trainer@v2.3.0.
    """
    at, count = counted_container(view), view.mpi.num_proc_per_node if view.mpi else None
    if at is None or count is None or count <= 1:
        return
    amounts = gpu_amounts(at)
    if amounts and count not in amounts.values():
        named = " and ".join(f"{name} {value}" for name, value in amounts.items())
        yield violation(
            "spec.mlPolicy.mpi.numProcPerNode",
            f"{count} processes start on each node, which has {named} ({NODE!r} container of {at.path}).",
            "Set it to the number of GPUs, or remove it to use all of them.",
        )


@rule("RUN-11", severity=Severity.WARNING)
def finished_jobs_stay(view: RuntimeView) -> Iterator[Violation]:
    """A job is deleted some time after its end, while other jobs still run.

    JobSet then creates the job again, and it runs once more. RUN-21 reports `ttlSecondsAfterFinished` of the JobSet.
    Source: pkg/controllers/jobset_controller.go shouldCreateJob@jobset@v0.12.0.
    """
    for job in view.jobs:
        done = waits_for(view, job, "Complete") | {job.name}
        others = [other.name for other in counted_jobs(view) if other.name not in done]
        seconds = job.spec.ttl_seconds_after_finished if job.spec else None
        # Numbers below 0 break K8S-13.
        if seconds is not None and seconds >= 0 and (others or job.replicas > 1):
            yield violation(
                f"{job.spec_path}.ttlSecondsAfterFinished",
                f"{job.name!r} is deleted {seconds} s after it finishes: while other jobs still run, JobSet "
                "creates it again and it runs once more.",
                "Remove it, and delete finished TrainJobs: their Jobs are deleted with them.",
            )
