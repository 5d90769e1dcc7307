"""What Kubernetes rejects in the Jobs of a JobSet."""

import re
from collections.abc import Iterator

from ....k8s.grammars import DOMAIN_PATH, is_manager
from ....k8s.jobs import JobSpec
from ....validation.violation import Severity, Violation
from ..rule import rule, violation
from ..view import TRAINER, LocatedJob, RuntimeView

MAX_INDEXED_PODS = 100_000
MAX_SUCCESS_RULES = 20
MAX_INDEXES_LENGTH = 64 * 1024
SELECTED_LABELS = {
    "controller-uid",
    "job-name",
    "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-name",
}


def job_specs(view: RuntimeView) -> Iterator[tuple[LocatedJob, JobSpec, str]]:
    """Yields each job that has a spec, with the spec and its path."""
    for job in view.jobs:
        if job.spec:
            yield job, job.spec, job.spec_path


LEAST = {"parallelism": 1, "completions": 1, "activeDeadlineSeconds": 1}
"""Minimum in fixes for fields where the API accepts 0 but another rule does not: SIL-14, RUN-16."""


@rule("K8S-10")
def pods_are_not_restarted_always(view: RuntimeView) -> Iterator[Violation]:
    """The pods of a job have `restartPolicy: Always`.

    The CRD and JobSet accept it, but the Jobs are rejected. JobSet's default is OnFailure.
    Source: pkg/apis/batch/validation/validation.go:300-308@kubernetes@v1.37.2.
    """
    for pod in view.pods:
        if pod.spec.restart_policy not in {None, "", "OnFailure", "Never"}:
            yield violation(
                f"{pod.path}.restartPolicy",
                f"A Job's pods cannot have restartPolicy {pod.spec.restart_policy}.",
                "Use OnFailure or Never.",
            )


@rule("K8S-13")
def job_numbers_are_not_negative(view: RuntimeView) -> Iterator[Violation]:
    """A number in a job template is negative.

    Trainer changes a negative parallelism to 1.
    Source: pkg/apis/batch/validation/validation.go:204-226@kubernetes@v1.37.2.
    """
    for _, spec, path in job_specs(view):
        for name, value in (
            ("parallelism", spec.parallelism),
            ("completions", spec.completions),
            ("backoffLimit", spec.backoff_limit),
            ("activeDeadlineSeconds", spec.active_deadline_seconds),
            ("ttlSecondsAfterFinished", spec.ttl_seconds_after_finished),
            ("backoffLimitPerIndex", spec.backoff_limit_per_index),
            ("maxFailedIndexes", spec.max_failed_indexes),
        ):
            if value is not None and value < 0:
                yield violation(
                    f"{path}.{name}",
                    f"{name} is {value}; it must not be negative.",
                    f"Set it to {LEAST.get(name, 0)} or more.",
                )


@rule("K8S-14")
def completion_mode_fits(view: RuntimeView) -> Iterator[Violation]:
    """completionMode is unknown, or NonIndexed with fields that need an index; or a Job's success policy is invalid.

    backoffLimitPerIndex, maxFailedIndexes and successPolicy require Indexed. backoffLimitPerIndex works with
    restartPolicy OnFailure (executed).
    Source: pkg/apis/batch/validation/validation.go:233-281,430-480@kubernetes@v1.37.2.
    """
    for job, spec, path in job_specs(view):
        if spec.completion_mode not in {None, "Indexed", "NonIndexed"}:
            yield violation(
                f"{path}.completionMode",
                f"{spec.completion_mode!r} is not a valid completion mode.",
                "Remove it; the default is Indexed.",
            )
        if spec.completion_mode == "NonIndexed":
            for name, value in (
                ("backoffLimitPerIndex", spec.backoff_limit_per_index),
                ("maxFailedIndexes", spec.max_failed_indexes),
                ("successPolicy", spec.success_policy),
            ):
                if value is not None:
                    yield violation(
                        f"{path}.{name}",
                        f"{name} needs completionMode Indexed, but it is NonIndexed.",
                        "Use Indexed.",
                    )
        elif spec.success_policy:
            yield from _success_rules(f"{path}.successPolicy.rules", job, spec)


def _success_rules(path: str, job: LocatedJob, spec: JobSpec) -> Iterator[Violation]:
    rules = spec.success_policy.rules if spec.success_policy else ()
    if not 1 <= len(rules) <= MAX_SUCCESS_RULES:
        yield violation(
            path, f"There are {len(rules)} rules; the maximum is 1 to {MAX_SUCCESS_RULES}.", "Correct the list."
        )
    for index, item in enumerate(rules):
        count, indexes = item.succeeded_count, item.succeeded_indexes
        if count is None and indexes is None:
            yield violation(
                f"{path}[{index}]", "The rule has neither succeededCount nor succeededIndexes.", "Set one of them."
            )
        total = job.pods
        if indexes is not None:
            covered = _count_indexes(indexes, job.pods)
            total = 0 if covered is None else covered
            if covered is None:
                yield violation(
                    f"{path}[{index}].succeededIndexes",
                    f"{indexes!r} is not a valid list of indexes from 0 to {job.pods - 1}, ascending and "
                    "separated by ','.",
                    'Write e.g. "0,2-3".',
                )
                continue
        if count is not None and not 0 <= count <= total:
            yield violation(
                f"{path}[{index}].succeededCount",
                f"succeededCount is {count}; it must be from 0 to {total}, the number of pods that count.",
                "Lower it.",
            )


def _count_indexes(indexes: str, pods: int) -> int | None:
    """Number of indexes in a list such as `0,2-3`. None if the text is not a valid list."""
    if len(indexes) > MAX_INDEXES_LENGTH:
        return None
    count, last = 0, -1
    for part in indexes.split(",") if indexes else ():
        match = re.fullmatch(r"([0-9]+)(?:-([0-9]+))?", part)
        if match is None:
            return None
        first, end = int(match[1]), int(match[2] or match[1])
        if first <= last or end >= pods or (match[2] and first >= end):
            return None
        count, last = count + end - first + 1, end
    return count


@rule("K8S-15")
def failed_indexes_are_limited(view: RuntimeView) -> Iterator[Violation]:
    """maxFailedIndexes is set without backoffLimitPerIndex, or exceeds the number of pods.

    For the training job, pods are counted by the runtime's default number of nodes.
    Source: pkg/apis/batch/validation/validation.go:220-249@kubernetes@v1.37.2.
    """
    for job, spec, path in job_specs(view):
        most = spec.max_failed_indexes
        if most is None or most < 0 or spec.completion_mode == "NonIndexed":
            continue
        if spec.backoff_limit_per_index is None:
            yield violation(
                f"{path}.maxFailedIndexes", "maxFailedIndexes needs backoffLimitPerIndex.", "Set backoffLimitPerIndex."
            )
        if most > job.pods:
            yield violation(
                f"{path}.maxFailedIndexes",
                f"maxFailedIndexes is {most}; {job.name!r} has {job.pods} pods.",
                f"Set it to {job.pods} or less.",
            )


@rule("K8S-16")
def indexed_pods_are_few(view: RuntimeView) -> Iterator[Violation]:
    """An Indexed job has more than 100000 pods.

    For the trainer's job this is a warning, because TrainJobs can set another number of nodes.
    Source: pkg/apis/batch/validation/validation.go:242-244@kubernetes@v1.37.2.
    """
    for job in view.jobs:
        if job.indexed and job.pods > MAX_INDEXED_PODS:
            follows = job.ancestor == TRAINER
            yield violation(
                "spec.mlPolicy.numNodes" if follows else f"{job.spec_path}.parallelism",
                f"{job.name!r} has {job.pods} pods; the maximum for an Indexed job is {MAX_INDEXED_PODS}.",
                "Set a smaller number.",
                Severity.WARNING if follows else Severity.ERROR,
            )


@rule("K8S-17")
def selectors_are_kubernetes_own(view: RuntimeView) -> Iterator[Violation]:
    """A job template sets `selector` without manualSelector, or a selector that does not match its own pods.

    The Jobs are rejected. The message is too long for an event, so there is none.
    Source: pkg/apis/batch/validation/validation.go:104-146,191-195@kubernetes@v1.37.2.
    """
    for job, spec, path in job_specs(view):
        if spec.selector is None and not spec.manual_selector:
            continue
        metadata = job.pod.template.metadata if job.pod else None
        labels = (metadata.labels if metadata else None) or {}
        if not spec.manual_selector:
            problem = "Kubernetes generates a Job's selector"
        elif spec.selector is None:
            problem = "manualSelector needs a selector"
        elif not spec.selector.selects(labels):
            problem = "The selector does not match the labels of the job's pods"
        else:
            continue
        yield violation(
            f"{path}.selector", f"{problem}: the Jobs would be rejected.", "Remove selector and manualSelector."
        )


@rule("K8S-17")
def selected_labels_are_kubernetes_own(view: RuntimeView) -> Iterator[Violation]:
    """A pod template has a label by which the Job controller selects its pods.

    kubectl prints these labels of existing Jobs. Kubernetes generates their values for each Job and rejects others.
    Source: pkg/apis/batch/validation/validation.go:104-146, pkg/registry/batch/job/strategy.go generateSelector
    @kubernetes@v1.37.2.
    """
    for job, spec, _ in job_specs(view):
        metadata = job.pod.template.metadata if job.pod else None
        for key in (metadata and metadata.labels) or {}:
            if job.pod and key in SELECTED_LABELS and not spec.manual_selector:
                yield violation(
                    f"{job.pod.template_path}.metadata.labels[{key}]",
                    f"{key} is reserved by Kubernetes: the Jobs would be rejected.",
                    "Remove it; Kubernetes sets it on every pod of a Job.",
                )


@rule("RUN-16")
def jobs_have_time(view: RuntimeView) -> Iterator[Violation]:
    """A job's activeDeadlineSeconds is 0.

    The job fails as soon as it starts.
    Source: pkg/controller/job/job_controller.go pastActiveDeadline@kubernetes@v1.37.2.
    """
    for job, spec, path in job_specs(view):
        if spec.active_deadline_seconds == 0:
            yield violation(
                f"{path}.activeDeadlineSeconds",
                f"{job.name!r} has an activeDeadlineSeconds of 0: it fails as soon as it starts.",
                "Set it to 1 or more, or remove it for no limit.",
            )


@rule("K8S-22")
def job_manager_is_a_domain_path(view: RuntimeView) -> Iterator[Violation]:
    """A job template's `managedBy` is not a domain followed by a path, or is longer than 63 characters.

    Source: pkg/apis/batch/validation/validation.go:227-232@kubernetes@v1.37.2.
    """
    for _, spec, path in job_specs(view):
        if spec.managed_by is not None and not is_manager(spec.managed_by):
            yield violation(
                f"{path}.managedBy",
                f"{spec.managed_by!r} is not a valid manager: it must be {DOMAIN_PATH}, at most 63 characters.",
                "Remove managedBy.",
            )
