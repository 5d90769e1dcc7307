"""The coordinator: the pod whose stable address all other pods get."""

from collections.abc import Iterator

from ....k8s.grammars import LABEL_VALUE
from ....validation.violation import Violation
from ...jobset import Coordinator
from ..rule import rule, violation
from ..view import JOBSET_PATH, LocatedJob, RuntimeView
from .replicated_jobs import TRAIN_JOB_NAME_LENGTH

PATH = f"{JOBSET_PATH}.coordinator"


def _coordinated(view: RuntimeView) -> tuple[Coordinator, LocatedJob] | None:
    coordinator = view.jobset.coordinator if view.jobset else None
    job = view.job(coordinator.replicated_job) if coordinator else None
    return (coordinator, job) if coordinator and job else None


@rule("JSW-19")
def coordinator_job_exists(view: RuntimeView) -> Iterator[Violation]:
    """The coordinator's job does not exist.

    JobSet's webhook rejects each JobSet made from it.
    Source: pkg/webhooks/jobset_webhook.go:502-505@jobset@v0.12.0.
    """
    coordinator = view.jobset.coordinator if view.jobset else None
    if coordinator and view.job(coordinator.replicated_job) is None:
        names = ", ".join(repr(job.name) for job in view.jobs)
        yield violation(
            f"{PATH}.replicatedJob",
            f"{coordinator.replicated_job!r} is not a job of this runtime.",
            f"Name one of {names}.",
        )


@rule("JSW-20")
def coordinator_job_index_is_in_range(view: RuntimeView) -> Iterator[Violation]:
    """The coordinator's `jobIndex` is not the index of one of its job's replicas.

    Source: pkg/webhooks/jobset_webhook.go:508-510@jobset@v0.12.0.
    """
    found = _coordinated(view)
    if found and not 0 <= (found[0].job_index or 0) < found[1].replicas:
        coordinator, job = found
        yield violation(
            f"{PATH}.jobIndex",
            f"{job.name!r} has {job.replicas} replicas: there is no job of index {coordinator.job_index}.",
            f"Use an index from 0 to {job.replicas - 1}.",
        )


@rule("JSW-21")
def coordinator_job_is_indexed(view: RuntimeView) -> Iterator[Violation]:
    """The coordinator's job is not Indexed.

    Source: pkg/webhooks/jobset_webhook.go:513-515@jobset@v0.12.0.
    """
    found = _coordinated(view)
    if found and not found[1].indexed:
        yield violation(
            f"{found[1].spec_path}.completionMode",
            f"The coordinator is a pod of {found[1].name!r}, which is not Indexed.",
            "Remove completionMode; the default is Indexed.",
        )


@rule("JSW-22")
def coordinator_pod_index_is_in_range(view: RuntimeView) -> Iterator[Violation]:
    """The coordinator's `podIndex` is not the index of one of its job's pods.

    For the training job, pods are counted by the runtime's default number of nodes.
    Source: pkg/webhooks/jobset_webhook.go:518-520@jobset@v0.12.0.
    """
    found = _coordinated(view)
    if found and not 0 <= (found[0].pod_index or 0) < found[1].pods:
        coordinator, job = found
        yield violation(
            f"{PATH}.podIndex",
            f"{job.name!r} has {job.pods} pods: there is no pod of index {coordinator.pod_index}.",
            f"Use an index from 0 to {job.pods - 1}.",
        )


@rule("JSW-23")
def coordinator_address_fits(view: RuntimeView) -> Iterator[Violation]:
    """The coordinator's address, which becomes a label, is longer than 63 characters.

    The address is `<trainjob>-<job>-<job index>-<pod index>.<subdomain>`. If no subdomain is set, it is the TrainJob's
    name. Checked for TrainJob names of 12 characters, which is the length that the SDK generates.
    Source: pkg/webhooks/jobset_webhook.go:526-533@jobset@v0.12.0.
    """
    found = _coordinated(view)
    if not found:
        return
    coordinator, job = found
    subdomain = view.jobset and view.jobset.network and view.jobset.network.subdomain
    suffix = f"-{job.name}-{coordinator.job_index or 0}-{coordinator.pod_index or 0}."
    length = TRAIN_JOB_NAME_LENGTH + len(suffix) + (len(subdomain) if subdomain else TRAIN_JOB_NAME_LENGTH)
    if length > LABEL_VALUE.max_length:
        yield violation(
            f"{PATH}.replicatedJob",
            f"The address of {job.name!r} as coordinator would have {length} characters with a TrainJob name of "
            f"{TRAIN_JOB_NAME_LENGTH}; the maximum is 63.",
            f"Shorten the job's name by {length - LABEL_VALUE.max_length} characters or more.",
        )
