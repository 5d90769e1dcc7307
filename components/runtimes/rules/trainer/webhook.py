"""What Trainer's webhook rejects or warns about when a runtime is created."""

from collections.abc import Iterator

from ....validation.violation import Severity, Violation
from ...topology import ANCESTOR_STEP, DATASET_INITIALIZER, MODEL_INITIALIZER, NODE
from ..rule import rule, violation
from ..view import TRAINER, RuntimeView

VALIDATION = "trainer.kubeflow.org/webhook-validation"
SUPPORT = "trainer.kubeflow.org/support"

CONTAINER_OF = {
    TRAINER: NODE,
    DATASET_INITIALIZER: DATASET_INITIALIZER,
    MODEL_INITIALIZER: MODEL_INITIALIZER,
}
"""The container that a job with this ancestor label must have."""


def disabled(view: RuntimeView) -> bool:
    """Whether the runtime disables the webhook."""
    return (view.runtime.metadata.labels or {}).get(VALIDATION) == "disabled"


@rule("WHR-01")
def labelled_job_runs_once(view: RuntimeView) -> Iterator[Violation]:
    """A job with an ancestor label has `replicas` other than 1.

    The webhook rejects it. If the webhook is disabled, Trainer silently changes it to 1 (WHR-04).
    Source: pkg/webhooks/trainingruntime_webhook.go:79-81@trainer@v2.3.0.
    """
    for job in view.jobs:
        if job.ancestor in CONTAINER_OF and job.replicas != 1 and not disabled(view):
            yield violation(
                f"{job.path}.replicas",
                f"Job {job.name!r} has {ANCESTOR_STEP}={job.ancestor}, so it must have 1 replica, but has "
                f"{job.replicas}.",
                "Set replicas to 1, and set the number of nodes in spec.mlPolicy.numNodes.",
            )


@rule("WHR-02")
def labelled_job_has_its_container(view: RuntimeView) -> Iterator[Violation]:
    """A job with an ancestor label lacks the container that Trainer configures.

    A job with the label `trainer` needs a container `node`; an initializer needs one with its own name. Init containers
    do not count. If the webhook is disabled, the runtime is created, and the TrainJob's image, command and environment
    are ignored.
    Source: pkg/webhooks/trainingruntime_webhook.go:40-43,88-101@trainer@v2.3.0.
    """
    for job in view.jobs:
        wanted = CONTAINER_OF.get(job.ancestor or "")
        if wanted is None or job.pod is None or not job.pod.spec.containers or job.container(wanted):
            continue
        if disabled(view) and wanted != NODE:
            continue
        names = ", ".join(repr(container.name) for container in job.pod.spec.containers)
        yield violation(
            f"{job.pod.path}.containers",
            f"Job {job.name!r} has {ANCESTOR_STEP}={job.ancestor}, and has no container {wanted!r} but {names}: "
            "Trainer would not find the container to fill in.",
            f"Name the container {wanted!r}.",
        )


@rule("WHR-03", "TJC-06", severity=Severity.WARNING)
def runtime_is_not_deprecated(view: RuntimeView) -> Iterator[Violation]:
    """A ClusterTrainingRuntime has the label that marks it as deprecated.

    The webhook warns when it is created, and again for every TrainJob.
    Source: pkg/webhooks/clustertrainingruntime_webhook.go:49-55,
    pkg/runtime/core/clustertrainingruntime.go:110-116@trainer@v2.3.0.
    """
    metadata = view.runtime.metadata
    if view.runtime.kind == "ClusterTrainingRuntime" and (metadata.labels or {}).get(SUPPORT) == "deprecated":
        yield violation(
            f"metadata.labels[{SUPPORT}]",
            f"The runtime is labeled {SUPPORT}=deprecated: every TrainJob that uses it gets a warning.",
            "Remove the label, or move the TrainJobs to another runtime.",
        )


@rule("WHR-04", severity=Severity.WARNING)
def webhook_is_not_disabled(view: RuntimeView) -> Iterator[Violation]:
    """A runtime disables Trainer's webhook by a label.

    The webhook then rejects nothing: for a labeled job, replicas other than 1 are silently changed to 1.
    Source: manifests/base/webhook/patch_validating.yaml:28-44,
    pkg/runtime/framework/plugins/jobset/builder.go:52,92,125@trainer@v2.3.0.
    """
    if disabled(view):
        forced = [job.name for job in view.jobs if job.ancestor in CONTAINER_OF and job.replicas != 1]
        yield violation(
            f"metadata.labels[{VALIDATION}]",
            f"The label {VALIDATION}=disabled keeps Trainer's webhook from checking the runtime."
            + (f" Trainer changes the replicas of {', '.join(map(repr, forced))} to 1." if forced else ""),
            "Remove the label. It is meant for runtimes that are installed before the webhook is ready."
            if not forced
            else f"Set the replicas of {', '.join(map(repr, forced))} to 1, and remove the label.",
        )
