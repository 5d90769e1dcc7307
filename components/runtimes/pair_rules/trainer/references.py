"""The runtime that a TrainJob refers to."""

from collections.abc import Iterator

from ....validation.violation import Severity, Violation
from ...rules.rule import violation
from ...rules.trainer.webhook import SUPPORT
from ..pair import Pair
from ..rule import pair_rule

GROUP = "trainer.kubeflow.org"
CLUSTER_KIND, KIND = "ClusterTrainingRuntime", "TrainingRuntime"


@pair_rule("TJC-04")
def runtime_is_a_training_runtime(pair: Pair) -> Iterator[Violation]:
    """`runtimeRef` names another kind than ClusterTrainingRuntime and TrainingRuntime of Trainer.

    Source: pkg/webhooks/trainjob_webhook.go:115-118@trainer@v2.3.0.
    """
    reference = pair.train_job.spec.runtime_ref
    if reference.kind not in (None, CLUSTER_KIND, KIND):
        yield violation(
            "spec.runtimeRef.kind",
            f"{reference.kind!r} is not a kind of runtime: Trainer rejects the TrainJob.",
            f"Write {CLUSTER_KIND} or {KIND}.",
        )
    if reference.api_group not in (None, GROUP):
        yield violation(
            "spec.runtimeRef.apiGroup",
            f"{reference.api_group!r} is not the API group of runtimes: Trainer rejects the TrainJob.",
            f"Remove apiGroup; the default is {GROUP}.",
        )


@pair_rule("TJC-05")
def runtime_is_the_one(pair: Pair) -> Iterator[Violation]:
    """`runtimeRef` does not lead to the runtime: its kind is another, or the runtime is in another namespace.

    A TrainJob finds a TrainingRuntime in its own namespace only. Without a kind, it looks for a ClusterTrainingRuntime.
    Source: pkg/runtime/core/clustertrainingruntime.go:101-107, pkg/runtime/core/trainingruntime.go ValidateObjects,
    pkg/apis/trainer/v1alpha1/trainjob_types.go:158-178@trainer@v2.3.0.
    """
    runtime, reference = pair.runtime, pair.train_job.spec.runtime_ref
    if runtime is None or runtime.kind not in (CLUSTER_KIND, KIND):
        return
    wanted = reference.kind or CLUSTER_KIND
    if wanted in (CLUSTER_KIND, KIND) and wanted != runtime.kind:
        default = "" if reference.kind else ", the default"
        yield violation(
            "spec.runtimeRef.kind",
            f"The kind is {wanted}{default}, but {runtime.metadata.name} is a {runtime.kind}: Trainer rejects the "
            "TrainJob.",
            f"Write kind: {runtime.kind}.",
        )
        return
    own, other = pair.train_job.metadata.namespace, runtime.metadata.namespace
    if runtime.kind == KIND and own and other and own != other:
        yield violation(
            "metadata.namespace",
            f"The TrainJob is in namespace {own}, but the TrainingRuntime {runtime.metadata.name} is in {other}: "
            "Trainer rejects the TrainJob.",
            f"Create the TrainJob in namespace {other}.",
        )


@pair_rule("TJC-06", severity=Severity.WARNING)
def runtime_is_supported(pair: Pair) -> Iterator[Violation]:
    """A TrainJob uses a ClusterTrainingRuntime that is marked as deprecated.

    Trainer 2.2 and later warn about it when the TrainJob is created.
    Source: pkg/runtime/core/clustertrainingruntime.go:110-116@trainer@v2.3.0.
    """
    runtime = pair.runtime
    if runtime is None or runtime.kind != CLUSTER_KIND or pair.release.trainer == "2.0.0":
        return
    if (runtime.metadata.labels or {}).get(SUPPORT) == "deprecated":
        yield violation(
            "spec.runtimeRef.name",
            f"The runtime {runtime.metadata.name} is deprecated: a future version of Trainer will remove it.",
            "Use another runtime.",
        )
