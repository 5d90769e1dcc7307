"""What JobSet's webhook rejects: Trainer then creates no JobSet for the TrainJob."""

from collections.abc import Iterator

from ...k8s.grammars import DNS_LABEL_1035
from ...validation.violation import Violation
from ..rules.rule import violation
from ..rules.view import LocatedJob, claim_templates
from .pair import Pair
from .patched import patched_jobs
from .rule import pair_rule

MAX_LENGTH = DNS_LABEL_1035.max_length


def _jobs(pair: Pair) -> tuple[LocatedJob, ...]:
    """The replicated jobs of the JobSet. Longer names of TrainJobs break TJC-01."""
    return pair.result.jobs if pair.result and len(pair.name) <= MAX_LENGTH else ()


def _job_name(pair: Pair, job: LocatedJob) -> str:
    """The longest name of a Job of a replicated job."""
    return f"{pair.name}-{job.name}-{job.replicas - 1}"


def _shorten(pair: Pair, excess: int) -> str:
    """The fix for a name that is too long by `excess` characters."""
    if len(pair.name) > excess:
        return f"Shorten the TrainJob's name to {len(pair.name) - excess} characters or fewer."
    return "Use a runtime with shorter names of jobs."


@pair_rule("JSW-04")
def job_names_fit(pair: Pair) -> Iterator[Violation]:
    """The names of the TrainJob's Jobs are longer than 63 characters.

    Each is called `<trainjob>-<replicated job>-<index>`.
    Source: pkg/webhooks/jobset_webhook.go:234-242@jobset@v0.12.0.
    """
    longest = max(((_job_name(pair, job), job) for job in _jobs(pair)), key=_length, default=None)
    if longest and len(longest[0]) > MAX_LENGTH:
        name, job = longest
        yield violation(
            "metadata.name",
            f"The Job {name} of {job.name!r} has {len(name)} characters; the maximum is {MAX_LENGTH}. No JobSet "
            "is created.",
            _shorten(pair, len(name) - MAX_LENGTH),
        )


def _length(named: tuple[str, LocatedJob]) -> int:
    return len(named[0])


@pair_rule("JSW-05")
def pod_names_fit(pair: Pair) -> Iterator[Violation]:
    """The names of the TrainJob's pods are longer than 63 characters.

    Each is called `<trainjob>-<replicated job>-<job index>-<pod index>-<5 characters>`.
    Source: pkg/webhooks/jobset_webhook.go:243-256@jobset@v0.12.0.
    """
    jobs = [job for job in _jobs(pair) if job.indexed]
    names = [(f"{_job_name(pair, job)}-{job.pods - 1}-abcde", job) for job in jobs]
    longest = max(names, key=_length, default=None)
    # Longer names of Jobs break JSW-04.
    if longest and len(longest[0]) > MAX_LENGTH >= max(len(_job_name(pair, job)) for job in jobs):
        name, job = longest
        yield violation(
            "metadata.name",
            f"The pods of {job.name!r}, such as {name}, have names of {len(name)} characters; the maximum is "
            f"{MAX_LENGTH}. No JobSet is created.",
            _shorten(pair, len(name) - MAX_LENGTH),
        )


@pair_rule("JSW-22")
def coordinator_is_a_pod(pair: Pair) -> Iterator[Violation]:
    """The TrainJob has too few nodes for the pod index of the runtime's coordinator.

    Source: pkg/webhooks/jobset_webhook.go:518-520@jobset@v0.12.0.
    """
    coordinator = pair.result.jobset.coordinator if pair.result and pair.result.jobset else None
    job = pair.result.job(coordinator.replicated_job) if pair.result and coordinator else None
    before = pair.view.job(job.name) if pair.view and job else None
    index = (coordinator and coordinator.pod_index) or 0
    if job and before and job.pods <= index < before.pods:
        yield violation(
            "spec.trainer.numNodes",
            f"The coordinator of the runtime is pod {index} of {job.name!r}, which has {job.pods}: no JobSet is "
            "created.",
            f"Set numNodes to {index + 1} or more.",
        )


@pair_rule("JSW-23")
def coordinator_label_fits(pair: Pair) -> Iterator[Violation]:
    """The coordinator's host name, which JobSet sets as a label, is longer than 63 characters.

    It is `<trainjob>-<replicated job>-<job index>-<pod index>.<subdomain>`. The default of the subdomain is the
    TrainJob's name, which then counts twice.
    Source: pkg/webhooks/jobset_webhook.go:526-533@jobset@v0.12.0.
    """
    jobset = pair.result.jobset if pair.result else None
    coordinator = jobset.coordinator if jobset else None
    if jobset is None or coordinator is None:
        return
    own = jobset.network.subdomain if jobset.network else None
    index = f"{coordinator.job_index or 0}-{coordinator.pod_index or 0}"
    label = f"{pair.name}-{coordinator.replicated_job}-{index}.{own or pair.name}"
    if (excess := len(label) - MAX_LENGTH) > 0:
        yield violation(
            "metadata.name",
            f"The coordinator's label {label} has {len(label)} characters; the maximum is {MAX_LENGTH}. No JobSet is "
            "created.",
            _shorten(pair, excess if own else -(-excess // 2)),
        )


@pair_rule("JSW-26")
def claim_names_fit(pair: Pair) -> Iterator[Violation]:
    """The name of a claim that JobSet creates is longer than 63 characters.

    It is called `<claim>-<trainjob>`.
    Source: pkg/webhooks/jobset_webhook.go:561-567@jobset@v0.12.0.
    """
    names = [f"{name}-{pair.name}" for _, name, _ in claim_templates(pair.result)] if pair.result else []
    longest = max(names, key=len, default="")
    if len(longest) > MAX_LENGTH:
        yield violation(
            "metadata.name",
            f"The claim {longest} has {len(longest)} characters; the maximum is {MAX_LENGTH}. No JobSet is created.",
            _shorten(pair, len(longest) - MAX_LENGTH),
        )


@pair_rule("JSW-28")
def volumes_are_not_claims(pair: Pair) -> Iterator[Violation]:
    """A patch adds a volume with the name of a claim that JobSet creates.

    Source: pkg/webhooks/jobset_webhook.go:619-627@jobset@v0.12.0.
    """
    claims = {name for _, name, _ in claim_templates(pair.view)} if pair.view else set()
    for job in patched_jobs(pair):
        for index, volume in enumerate((job.pod and job.pod.volumes) or ()):
            if volume.name in claims:
                yield violation(
                    f"{job.pod_path}.volumes[{index}].name",
                    f"{volume.name!r} is the name of a claim of the runtime: no JobSet is created.",
                    "Give the volume another name.",
                )
