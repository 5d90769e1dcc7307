"""Fields that are valid by themselves and do not work together, which no component of the cluster reports."""

from collections.abc import Iterator, Mapping

from ....validation.violation import Severity, Violation
from ...topology import KAI_SCHEDULER, LAUNCHER, NODE
from ..jobset.startup_order import in_order, waits_for
from ..jobset.success_policy import counted_jobs
from ..rule import rule, violation
from ..view import LocatedJob, RuntimeView, claim_templates
from .frameworks import counted_container, gpu_amounts

DEFAULT_SCHEDULER = "default-scheduler"

KAI_MIN_MEMBER = "kai.scheduler/batch-min-member"
"""The annotation of a JobSet with the number of its jobs whose pods KAI's scheduler places together:
pkg/podgrouper/podgrouper/plugins/jobset/jobset_grouper.go@KAI-Scheduler@20e273b."""

ONE_NODE = {"ReadWriteOnce", "ReadWriteOncePod"}


@rule("RUN-01")
def pod_group_without_depends_on(view: RuntimeView) -> Iterator[Violation]:
    """The jobs of a runtime wait for each other, while a gang scheduler waits for the pods of all jobs.

    Pods of waiting jobs are created only when other jobs are ready or complete, so no pod is ever scheduled. Trainer's
    pod groups for coscheduling and Volcano count the pods of all jobs. This is an error if the pods name another
    scheduler than the default one, and otherwise a warning, because the default scheduler may ignore pod groups. KAI's
    scheduler creates such a group for every JobSet with dependsOn, since 0.16; for earlier versions one pod is enough,
    so this is a warning. For startupPolicy InOrder it needs the pods of one job, and with the annotation
    kai.scheduler/batch-min-member those of as many jobs as it says.
    Source: pkg/runtime/framework/plugins/volcano/volcano.go Build, coscheduling.go Build@trainer@v2.3.0; read in
    pkg/coscheduling/core/core.go PreFilter@scheduler-plugins@v0.34.1, pkg/scheduler/plugins/gang/gang.go@volcano and
    pkg/podgrouper/podgrouper/plugins/jobset/{jobset_grouper,legacy_grouper}.go@KAI-Scheduler@20e273b, which was seen on
    v0.16.4 by NVIDIA/cluster-readiness-engine.
    """
    waiting = [job.name for job in view.jobs[1:] if job.model.depends_on or in_order(view)]
    kai = next((pod for pod in view.pods if pod.spec.scheduler_name == KAI_SCHEDULER), None)
    if kai and waiting and not in_order(view) and not starts_in_parts(view, template_annotations(view)):
        last = view.jobs[-1]
        yield violation(
            f"{_first_waiting(view).path}.dependsOn",
            f"{KAI_SCHEDULER} places no pod of a JobSet before all of its jobs have theirs, and the pods of "
            f"{', '.join(map(repr, waiting))} are created only when others are ready or complete: none would be "
            "scheduled.",
            "Remove it, and have an init container of 'launcher' wait until every host of /etc/mpi/hostfile answers."
            if view.mpi and last.name == LAUNCHER and not waits_for(view, last, "Complete")
            else f'Remove schedulerName {KAI_SCHEDULER}, or set the annotation {KAI_MIN_MEMBER} to "1" in '
            "spec.template.metadata.",
            Severity.WARNING,
        )
    groups = view.runtime.spec.pod_group_policy
    if groups and (groups.volcano is not None or groups.coscheduling is not None) and waiting:
        named = all((pod.spec.scheduler_name or DEFAULT_SCHEDULER) != DEFAULT_SCHEDULER for pod in view.pods)
        yield violation(
            "spec.podGroupPolicy",
            f"The pod group needs all pods at once, and the pods of {', '.join(map(repr, waiting))} are created only "
            "when other jobs are ready or complete: no pod would ever be scheduled.",
            "Remove podGroupPolicy. Kueue admits all pods or none without pod groups.",
            Severity.ERROR if named else Severity.WARNING,
        )


def template_annotations(view: RuntimeView) -> Mapping[str, str]:
    """The annotations of the JobSet."""
    template = view.runtime.spec.template
    return (template.metadata.annotations if template and template.metadata else None) or {}


def starts_in_parts(view: RuntimeView, annotations: Mapping[str, str]) -> bool:
    """Whether KAI's scheduler places the pods of one job of a JobSet with these annotations before others exist."""
    members = annotations.get(KAI_MIN_MEMBER, "")
    return members.isdecimal() and 0 < int(members) < len(view.jobs)


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
