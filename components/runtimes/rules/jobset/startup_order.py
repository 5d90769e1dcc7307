"""In which order a JobSet's jobs start."""

from collections.abc import Iterator

from ....validation.violation import Violation
from ...topology import LAUNCHER, NODE
from ..endless_commands import never_ends
from ..rule import rule, violation
from ..view import LocatedJob, RuntimeView


def in_order(view: RuntimeView) -> bool:
    """Whether each job waits for the one listed before it to be ready."""
    policy = view.jobset.startup_policy if view.jobset else None
    return policy is not None and policy.startup_policy_order == "InOrder"


def waits_for(view: RuntimeView, job: LocatedJob, status: str | None = None) -> set[str]:
    """Names of the jobs that must reach some status before this one starts, directly or indirectly.

    With a status, of those only whose last step to this job is that status: what they wait for themselves has been
    reached.
    """
    found: set[str] = set()
    pending = [job]
    while pending:
        current = pending.pop()
        for dependency in current.model.depends_on or ():
            earlier = view.job(dependency.name)
            if earlier is None or earlier.index >= current.index or earlier.name in found:
                continue
            if status is None or dependency.status == status:
                found.add(earlier.name)
            pending.append(earlier)
    return found


@rule("JSW-01")
def first_job_has_no_depends_on(view: RuntimeView) -> Iterator[Violation]:
    """The first job has `dependsOn`.

    JobSet's webhook rejects each JobSet made from it: there is no earlier job to wait for.
    Source: pkg/webhooks/jobset_webhook.go:178-180@jobset@v0.12.0.
    """
    first = view.jobs[0] if view.jobs else None
    if first and first.model.depends_on:
        names = ", ".join(repr(dependency.name) for dependency in first.model.depends_on)
        yield violation(
            f"{first.path}.dependsOn",
            f"The first job, {first.name!r}, waits for {names}, but a job can only wait for earlier ones.",
            f"List {names} before {first.name!r}, or remove dependsOn.",
        )


@rule("JSW-02")
def jobs_wait_for_earlier_ones(view: RuntimeView) -> Iterator[Violation]:
    """A later job's `dependsOn` names a job that does not exist, or that is listed after it.

    JobSet's webhook rejects each JobSet made from it.
    Source: pkg/webhooks/jobset_webhook.go:258-263@jobset@v0.12.0.
    """
    for job in view.jobs[1:]:
        for number, dependency in enumerate(job.model.depends_on or ()):
            earlier = view.job(dependency.name)
            if earlier is not None and earlier.index <= job.index:
                continue
            problem = "is not a job of this runtime" if earlier is None else "is listed after it"
            candidates = ", ".join(repr(other.name) for other in view.jobs[: job.index])
            yield violation(
                f"{job.path}.dependsOn[{number}].name",
                f"Job {job.name!r} waits for {dependency.name!r}, which {problem}.",
                f"Name one of the jobs before it: {candidates}."
                if earlier is None
                else f"List {dependency.name!r} before {job.name!r}.",
            )


@rule("SIL-08")
def no_job_waits_for_itself(view: RuntimeView) -> Iterator[Violation]:
    """A job's `dependsOn` names itself.

    JobSet's webhook accepts it, but the job is never created, and the TrainJob hangs silently.
    Source: pkg/webhooks/jobset_webhook.go:217,258-263@jobset@v0.12.0.
    """
    for job in view.jobs[1:]:
        for number, dependency in enumerate(job.model.depends_on or ()):
            if dependency.name == job.name:
                yield violation(
                    f"{job.path}.dependsOn[{number}].name",
                    f"Job {job.name!r} waits for itself: it would never be created.",
                    "Name an earlier job, or remove this.",
                )


@rule("SIL-09")
def depends_on_complete_of_endless_job(view: RuntimeView) -> Iterator[Violation]:
    """A job waits for the `Complete` of a job that never ends.

    That is a job that runs sshd in the foreground, `sleep infinity` or `tail -f`; and the job `node` for an MPI
    launcher, which needs its workers alive. The waiting job is never created, and there is no error.
    Source: pkg/controllers/depends_on.go:17-20@jobset@v0.12.0.
    """
    for job in view.jobs[1:]:
        for number, dependency in enumerate(job.model.depends_on or ()):
            earlier = view.job(dependency.name)
            if dependency.status != "Complete" or earlier is None or earlier.index >= job.index:
                continue
            worker = view.mpi is not None and earlier.name == NODE and job.name == LAUNCHER
            if worker or never_ends(earlier):
                why = "needs that job to keep running" if worker else "never completes, because its command never ends"
                yield violation(
                    f"{job.path}.dependsOn[{number}].status",
                    f"Job {job.name!r} waits for {earlier.name!r} to be Complete, but {why}.",
                    "Use status Ready.",
                )
