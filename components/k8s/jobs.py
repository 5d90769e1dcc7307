"""Job templates: number of pods, success criteria and failure handling.

Shapes from the CRD of Trainer v2.3.0, meanings and defaults from Kubernetes' batch/v1.
"""

from typing import Annotated

from .base import ApiModel, FrozenList, Int32, Int64, unique
from .metadata import EmbeddedMetadata, LabelSelector
from .pods import PodTemplate


class PodFailurePolicyOnExitCodes(ApiModel):
    """The exit codes that a rule matches."""

    operator: str
    """In (one of the values) or NotIn (none of them)."""

    values: Annotated[FrozenList[Int32], unique()]
    """Exit codes, at most 255 of them. Duplicates are rejected. 0 is allowed only with NotIn."""

    container_name: str | None = None
    """Name of the container whose exit code is checked. Default: any container."""


class PodFailurePolicyOnPodConditions(ApiModel):
    """A pod condition that a rule matches."""

    type: str
    """Type of the condition, such as `DisruptionTarget`."""

    status: str | None = None
    """True, False or Unknown. Default True."""


class PodFailurePolicyRule(ApiModel):
    """What a failed pod means for its job. Matches by exit code or by condition: set exactly one of the two."""

    action: str
    """FailJob (fail the job), FailIndex (fail the pod's index), Ignore (retry without counting the failure) or Count
    (count it towards backoffLimit)."""

    on_exit_codes: PodFailurePolicyOnExitCodes | None = None
    """Match by the exit code of a container."""
    on_pod_conditions: FrozenList[PodFailurePolicyOnPodConditions] | None = None
    """Match if the pod has one of these conditions."""


class PodFailurePolicy(ApiModel):
    """How failed pods are handled. Requires the pods' restartPolicy to be Never."""

    rules: FrozenList[PodFailurePolicyRule]
    """Rules, checked in order; the first match applies. If none matches, the failure counts towards backoffLimit. At
    most 20."""


class JobSuccessPolicyRule(ApiModel):
    """When an indexed job has succeeded. If both fields are set, that many of those indexes must succeed."""

    succeeded_indexes: str | None = None
    """Indexes that must succeed, such as `0,2-4`. Default: all."""

    succeeded_count: Int32 | None = None
    """Number of indexes that must succeed. Default: all of succeededIndexes."""


class JobSuccessPolicy(ApiModel):
    """When an indexed job has succeeded although not all its pods have. The remaining pods are terminated."""

    rules: FrozenList[JobSuccessPolicyRule]
    """Rules, checked in order; the job succeeds when one is met. At most 20."""


class JobSpec(ApiModel):
    """A job: runs pods of one template until enough of them succeed.

    Trainer sets parallelism and completions of the training job from the number of nodes.
    """

    template: PodTemplate
    """Template of the job's pods."""

    parallelism: Int32 | None = None
    """Maximum number of pods that run at the same time. Default 1."""

    completions: Int32 | None = None
    """Number of pods that must succeed. Default: parallelism."""

    completion_mode: str | None = None
    """Indexed (each pod has an index from 0 to completions - 1) or NonIndexed. Default in a JobSet: Indexed."""

    backoff_limit: Int32 | None = None
    """Number of pod failures after which the job fails. Default 6, or no limit with backoffLimitPerIndex."""

    backoff_limit_per_index: Int32 | None = None
    """Number of retries of one index before that index fails. Only with completionMode Indexed and restartPolicy Never.
    Default: no limit for each index."""

    max_failed_indexes: Int32 | None = None
    """Number of failed indexes after which the job fails. Only with backoffLimitPerIndex. Default: no limit; all
    indexes run."""

    active_deadline_seconds: Int64 | None = None
    """Seconds that the job may run before it is terminated. Default: no limit."""

    ttl_seconds_after_finished: Int32 | None = None
    """Seconds after which a finished job is deleted. Default: the job is kept as long as its JobSet."""

    suspend: bool | None = None
    """Not for runtimes: JobSet sets it."""

    pod_failure_policy: PodFailurePolicy | None = None
    """How failed pods are handled. Default: each failure counts towards backoffLimit."""

    pod_replacement_policy: str | None = None
    """When a replacement pod is created: TerminatingOrFailed (when the old one starts to terminate) or Failed (when it
    has ended). Default TerminatingOrFailed; Failed with podFailurePolicy, which allows nothing else."""

    success_policy: JobSuccessPolicy | None = None
    """When the job has succeeded although not all its pods have. Only with completionMode Indexed. Default: when
    `completions` pods have succeeded."""

    selector: LabelSelector | None = None
    """Not for runtimes: the job controller sets it."""

    manual_selector: bool | None = None
    """Not for runtimes: whether `selector` is set by the user. Default false."""

    managed_by: str | None = None
    """Controller that manages the job. Default `kubernetes.io/job-controller`."""


class JobTemplate(ApiModel):
    """Template of the jobs of a replicated job."""

    metadata: EmbeddedMetadata | None = None
    """Labels and annotations of the jobs. Trainer finds the training job by the label
    `trainer.kubeflow.org/trainjob-ancestor-step: trainer`."""

    spec: JobSpec | None = None
    """Spec of the jobs."""
