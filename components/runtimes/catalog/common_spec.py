"""Builds a runtime of the catalog from its topology and the options that do not belong to a single pod."""

from ...k8s.metadata import EmbeddedMetadata, ObjectMeta
from ..api import FRAMEWORK, TrainingRuntimeSpec
from ..bind import bind_to_pool
from ..editing import evolve
from ..jobset import JobSetSpec, JobSetTemplate
from ..runtime import ClusterTrainingRuntime
from ..topology import KUEUE_QUEUE
from .options import RuntimeOptions
from .volume_claim import VolumeClaim


def build_runtime(
    options: RuntimeOptions,
    spec: TrainingRuntimeSpec,
    *,
    name: str,
    framework: str,
    labels: dict[str, str] | None = None,
    claims: tuple[VolumeClaim, ...] = (),
) -> ClusterTrainingRuntime:
    """The runtime of a `framework`. `name`, `labels` and `claims` are its own, in addition to those of the options."""
    policies = tuple(claim.policy() for claim in (*claims, *options.claims.values()))

    def jobset(present: JobSetSpec) -> JobSetSpec:
        return evolve(
            present,
            failure_policy=options.failure_policy,
            ttl_seconds_after_finished=options.ttl_seconds_after_finished,
            volume_claim_policies=policies or None,
        )

    def template(present: JobSetTemplate) -> JobSetTemplate:
        queue = EmbeddedMetadata(labels={KUEUE_QUEUE: options.kueue_queue}) if options.kueue_queue else None
        return evolve(present, metadata=queue, spec=jobset)

    metadata = ObjectMeta(name=options.name or name, labels={FRAMEWORK: framework, **(labels or {})})
    whole = evolve(spec, pod_group_policy=options.pod_group, template=template)
    if options.placement is None:
        return ClusterTrainingRuntime(metadata=metadata, spec=whole)
    # The rules are for the copy that is placed: the runtime itself goes by none of them yet.
    unplaced = ClusterTrainingRuntime.model_validate({"metadata": metadata, "spec": whole})
    return bind_to_pool(unplaced, options.placement)
