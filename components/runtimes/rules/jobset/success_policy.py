"""When a JobSet has succeeded."""

from collections.abc import Iterator

from ....validation.violation import Severity, Violation
from ...topology import LAUNCHER, NODE
from ..endless_commands import never_ends
from ..rule import rule, violation
from ..view import JOBSET_PATH, LocatedJob, RuntimeView

PATH = f"{JOBSET_PATH}.successPolicy"


def counted(view: RuntimeView) -> list[LocatedJob]:
    """The jobs whose success is counted: all, unless the success policy names some."""
    policy = view.jobset.success_policy if view.jobset else None
    targets = policy.target_replicated_jobs if policy else None
    return [job for job in view.jobs if not targets or job.name in targets]


@rule("JSW-06")
def success_targets_exist(view: RuntimeView) -> Iterator[Violation]:
    """`successPolicy.targetReplicatedJobs` names a job that does not exist.

    JobSet's webhook rejects each JobSet made from it.
    Source: pkg/webhooks/jobset_webhook.go:285-289@jobset@v0.12.0.
    """
    policy = view.jobset.success_policy if view.jobset else None
    for index, name in enumerate((policy and policy.target_replicated_jobs) or ()):
        if view.job(name) is None:
            names = ", ".join(repr(job.name) for job in view.jobs)
            yield violation(
                f"{PATH}.targetReplicatedJobs[{index}]",
                f"{name!r} is not a job of this runtime.",
                f"Name some of {names}.",
            )


@rule("SIL-05")
def success_is_counted_on_what_ends(view: RuntimeView) -> Iterator[Violation]:
    """The success policy counts jobs that never end, or leaves the MPI launcher out.

    Without a policy all jobs count, so with MPI workers that run sshd a TrainJob never completes. Operator `Any` with
    the launcher among the targets does. MPI workers that are not known to end are a warning: some do.
    Source: pkg/controllers/success_policy.go:48-64@jobset@v0.12.0.
    """
    jobs = counted(view)
    policy = view.jobset.success_policy if view.jobset else None
    path = f"{PATH}.targetReplicatedJobs" if policy else PATH
    launcher = view.job(LAUNCHER) if view.mpi else None
    targets = f"[{LAUNCHER}]" if launcher else "the jobs that end"
    fix = f"Set successPolicy to operator All, with targetReplicatedJobs {targets}."
    if not jobs:
        return
    if launcher and launcher not in jobs:
        yield violation(
            path,
            "The success policy does not include 'launcher', so the TrainJob would not complete with its training.",
            fix,
        )
        return
    endless = [job for job in jobs if never_ends(job)]
    every = policy is None or policy.operator == "All"
    if endless and (every or len(endless) == len(jobs)):
        names = ", ".join(repr(job.name) for job in endless)
        yield violation(
            path,
            f"{'The success policy counts' if policy else 'Without a success policy every job counts, also'} {names}, "
            "which never ends: the TrainJob would never complete.",
            fix,
        )
    elif launcher and every and any(job.name == NODE for job in jobs):
        yield violation(
            path,
            "The success policy includes 'node', so the TrainJob completes only if the workers end by themselves.",
            fix,
            Severity.WARNING,
        )
