"""The order in which the jobs of a JobSet start."""

from collections.abc import Iterator

from ....validation.violation import Violation
from ...topology import LAUNCHER, NODE
from ..endless_commands import never_ends
from ..rule import rule, violation
from ..view import LocatedJob, RuntimeView


def in_order(view: RuntimeView) -> bool:
    """Whether each job waits until the job listed before it is ready."""
    policy = view.jobset.startup_policy if view.jobset else None
    return policy is not None and policy.startup_policy_order == "InOrder"


def waits_for(view: RuntimeView, job: LocatedJob, status: str | None = None) -> set[str]:
    """Names of the jobs that this one waits for, directly or indirectly.

    With a status, only the jobs that are waited for with this status. The jobs that they wait for themselves are
    included.
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

    There is no earlier job to wait for. JobSet's webhook rejects every JobSet of this runtime.
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
    """A job's `dependsOn` names a job that does not exist or that is listed later.

    JobSet's webhook rejects every JobSet of this runtime.
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
    """A job's `dependsOn` names the job itself.

    JobSet's webhook accepts it, but the job is never created, and the TrainJob hangs without an error.
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
    """A job depends on the status `Complete` of a job that never ends.

    A job never ends if it runs sshd in the foreground, `sleep infinity` or `tail -f`. The job `node` of an MPI launcher
    also counts, because the launcher needs running workers. The dependent job is never created, and there is no error.
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
