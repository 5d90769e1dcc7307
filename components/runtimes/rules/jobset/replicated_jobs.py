"""The JobSet of each TrainJob: names, network, manager, and fields that Trainer overwrites."""

import re
from collections.abc import Iterator

from ....k8s.grammars import DNS_LABEL_1035, DOMAIN_PATH, is_manager
from ....validation.violation import Severity, Violation
from ..rule import rule, violation
from ..view import JOBSET_PATH, LocatedJob, RuntimeView, also_in_depends_on

TRAIN_JOB_NAME_LENGTH = 12
"""Length of the names that the SDK gives TrainJobs (a letter and 11 hexadecimal digits): kubeflow-sdk@0.5.0."""

JOBSET_CONTROLLER = "jobset.sigs.k8s.io/jobset-controller"
JOB_CONTROLLER = "kubernetes.io/job-controller"
INT32_MAX = 2**31 - 1


def job_name_length(job: LocatedJob) -> int:
    """Length of `<trainjob>-<job>-<index>`, for the highest index of a replicated job."""
    return TRAIN_JOB_NAME_LENGTH + len(f"-{job.name}-{job.replicas - 1}")


@rule("SIL-32")
def runtime_has_jobs(view: RuntimeView) -> Iterator[Violation]:
    """A runtime has no template, or a template without jobs.

    TrainJobs are accepted and become an empty JobSet, without jobs, events or conditions. The SDK's list_runtimes also
    fails for all users.
    Source: pkg/runtime/framework/plugins/jobset/jobset.go@trainer@v2.3.0.
    """
    if not view.jobs:
        yield violation(
            f"{JOBSET_PATH}.replicatedJobs",
            "The runtime has no replicated jobs: a TrainJob would start nothing and hang silently.",
            "Add replicatedJobs to spec.template.spec.",
        )


@rule("JSW-03")
def job_names_are_dns_labels(view: RuntimeView) -> Iterator[Violation]:
    """A replicated job's name has characters other than lowercase letters, digits and `-`.

    Each Job is called `<trainjob>-<name>-<index>`, which must be a DNS label. JobSet's webhook rejects the JobSet.
    Source: pkg/webhooks/jobset_webhook.go:234-242@jobset@v0.12.0.
    """
    for job in view.jobs:
        if not all(character in "abcdefghijklmnopqrstuvwxyz0123456789-" for character in job.name):
            yield violation(
                f"{job.path}.name",
                f"{job.name!r} has characters other than lowercase letters, digits and '-', which names of Jobs "
                "cannot have.",
                f"Name it {_as_dns_label(job.name)!r}{also_in_depends_on(view, job)}.",
            )


def _as_dns_label(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "job"


@rule("JSW-04")
def job_names_fit(view: RuntimeView) -> Iterator[Violation]:
    """The names of a replicated job's Jobs are longer than 63 characters.

    Checked for TrainJob names of 12 characters, which is the length that the SDK generates.
    Source: pkg/webhooks/jobset_webhook.go:236-242@jobset@v0.12.0.
    """
    for job in view.jobs:
        length = job_name_length(job)
        if length > DNS_LABEL_1035.max_length:
            yield violation(
                f"{job.path}.name",
                f"{job.name!r} is too long: its Jobs' names, <trainjob>-{job.name}-{job.replicas - 1}, would have "
                f"{length} characters with a TrainJob name of {TRAIN_JOB_NAME_LENGTH}; the maximum is 63.",
                f"Shorten the name by {length - DNS_LABEL_1035.max_length} characters or more.",
            )


@rule("JSW-05")
def pod_names_fit(view: RuntimeView) -> Iterator[Violation]:
    """The names of a replicated job's pods are longer than 63 characters.

    A pod is called `<trainjob>-<name>-<job index>-<pod index>-<5 characters>`. Checked for TrainJob names of 12
    characters, which is the length that the SDK generates.
    Source: pkg/webhooks/jobset_webhook.go:243-256@jobset@v0.12.0.
    """
    for job in view.jobs:
        length = job_name_length(job) + len(f"-{job.pods - 1}-abcde")
        if job.indexed and job_name_length(job) <= DNS_LABEL_1035.max_length < length:
            yield violation(
                f"{job.path}.name",
                f"{job.name!r} is too long: its pods' names would have {length} characters with a TrainJob name "
                f"of {TRAIN_JOB_NAME_LENGTH}; the maximum is 63.",
                f"Shorten the name by {length - DNS_LABEL_1035.max_length} characters or more.",
            )


@rule("JSW-07")
def subdomain_is_a_dns_label(view: RuntimeView) -> Iterator[Violation]:
    """`network.subdomain` is not a DNS label.

    JobSet creates a Service with this name, and its webhook rejects the JobSet.
    Source: pkg/webhooks/jobset_webhook.go:183-198@jobset@v0.12.0.
    """
    subdomain = view.jobset and view.jobset.network and view.jobset.network.subdomain
    if subdomain and not DNS_LABEL_1035.matches(subdomain):
        yield violation(
            f"{JOBSET_PATH}.network.subdomain",
            f"{subdomain!r} is not a valid Service name: it must be {DNS_LABEL_1035}.",
            "Remove subdomain; the default is the TrainJob's name.",
        )


@rule("JSW-08")
def manager_is_a_domain_path(view: RuntimeView) -> Iterator[Violation]:
    """`managedBy` is not a domain followed by a path, or is longer than 63 characters.

    JobSet's webhook rejects the JobSet.
    Source: pkg/webhooks/jobset_webhook.go:201-210@jobset@v0.12.0.
    """
    manager = view.jobset.managed_by if view.jobset else None
    if manager is not None and not is_manager(manager):
        yield violation(
            f"{JOBSET_PATH}.managedBy",
            f"{manager!r} is not a valid manager: it must be {DOMAIN_PATH}, at most 63 characters.",
            "Remove managedBy.",
        )


@rule("SIL-24")
def own_controllers_manage(view: RuntimeView) -> Iterator[Violation]:
    """`managedBy` of the JobSet template or of a job names another controller than JobSet's and Kubernetes' own.

    These controllers ignore such objects: nothing runs, and there is no error.
    Source: pkg/controllers/jobset_controller.go managedByExternalController@jobset@v0.12.0,
    pkg/controller/job/job_controller.go controllerName@kubernetes@v1.37.2.
    """
    managers = [(JOBSET_PATH, view.jobset.managed_by if view.jobset else None, JOBSET_CONTROLLER)]
    managers += [(job.spec_path, job.spec.managed_by, JOB_CONTROLLER) for job in view.jobs if job.spec]
    for path, manager, usual in managers:
        if manager and manager != usual and is_manager(manager):
            yield violation(
                f"{path}.managedBy",
                f"managedBy is {manager!r}: {usual} would ignore the object, and nothing would run.",
                "Remove managedBy. A TrainJob has a managedBy of its own.",
            )


@rule("JSW-09")
def pods_can_be_counted(view: RuntimeView) -> Iterator[Violation]:
    """`replicas` times `parallelism` exceeds the largest 32-bit integer.

    JobSet's webhook rejects the JobSet.
    Source: pkg/webhooks/jobset_webhook.go:219-225@jobset@v0.12.0.
    """
    for job in view.jobs:
        if job.replicas * job.pods > INT32_MAX:
            yield violation(
                f"{job.path}.replicas",
                f"{job.replicas} replicas of {job.pods} pods are {job.replicas * job.pods} pods; the maximum is "
                f"{INT32_MAX}.",
                "Lower replicas or parallelism.",
            )


@rule("JSW-10")
def group_names_are_dns_labels(view: RuntimeView) -> Iterator[Violation]:
    """A `groupName` is not a DNS label.

    JobSet's webhook rejects the JobSet.
    Source: pkg/webhooks/jobset_webhook.go:228-233@jobset@v0.12.0.
    """
    for job in view.jobs:
        group = job.model.group_name
        if group and not DNS_LABEL_1035.matches(group):
            yield violation(
                f"{job.path}.groupName",
                f"{group!r} is not a valid group name: it must be {DNS_LABEL_1035}.",
                "Rename the group.",
            )


@rule("SIL-11b", severity=Severity.WARNING)
def subdomain_is_not_shared(view: RuntimeView) -> Iterator[Violation]:
    """A runtime sets `network.subdomain`.

    All TrainJobs in a namespace then share one Service, which selects only the pods of the first TrainJob. The names of
    the other pods do not resolve. A single TrainJob works (executed), so this is a warning. SIL-11 rejects it for
    policies that ignore the subdomain.
    Source: pkg/controllers/jobset_controller.go:797-829@jobset@v0.12.0.
    """
    subdomain = view.jobset and view.jobset.network and view.jobset.network.subdomain
    if subdomain and DNS_LABEL_1035.matches(subdomain) and view.policy in {None, "mpi"}:
        yield violation(
            f"{JOBSET_PATH}.network.subdomain",
            f"Every TrainJob would use the Service {subdomain!r}: with two TrainJobs in a namespace, the pods of "
            "the second cannot find each other.",
            "Remove subdomain; the default is the TrainJob's name.",
        )


@rule("SIL-25", severity=Severity.WARNING)
def suspend_is_the_train_jobs(view: RuntimeView) -> Iterator[Violation]:
    """The JobSet template of a runtime is suspended.

    Trainer overwrites the field with the TrainJob's `suspend`.
    Source: pkg/runtime/framework/plugins/jobset/builder.go:176-179@trainer@v2.3.0.
    """
    if view.jobset and view.jobset.suspend:
        yield violation(
            f"{JOBSET_PATH}.suspend",
            "suspend has no effect in a runtime: Trainer overwrites it with the TrainJob's.",
            "Set spec.suspend of the TrainJob.",
        )


@rule("SIL-26", severity=Severity.WARNING)
def template_metadata_is_labels_and_annotations(view: RuntimeView) -> Iterator[Violation]:
    """The metadata of the JobSet template has a name, namespace or finalizers.

    Trainer copies only labels and annotations.
    Source: pkg/runtime/core/trainingruntime.go:144-145,
    pkg/runtime/framework/plugins/jobset/jobset.go:413-416@trainer@v2.3.0.
    """
    template = view.runtime.spec.template
    metadata = template.metadata if template else None
    for name in ("name", "namespace", "finalizers"):
        if metadata and getattr(metadata, name):
            yield violation(
                f"spec.template.metadata.{name}",
                f"{name} has no effect here: Trainer copies labels and annotations, and names the JobSet after the "
                "TrainJob.",
                "Remove it.",
            )
