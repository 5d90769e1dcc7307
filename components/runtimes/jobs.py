"""Job templates: how many pods, when they have succeeded, what a failure does."""

from .metadata import EmbeddedMetadata, LabelSelector
from .pods import PodTemplate
from .wire import ApiModel, Int32, Int64, Items


class PodFailurePolicyOnExitCodes(ApiModel):
    """Exit codes that a rule is about."""

    operator: str
    values: Items[Int32]
    container_name: str | None = None


class PodFailurePolicyOnPodConditions(ApiModel):
    """A condition of the pod that a rule is about."""

    type: str
    status: str | None = None


class PodFailurePolicyRule(ApiModel):
    """What a failed pod means for its job."""

    action: str
    on_exit_codes: PodFailurePolicyOnExitCodes | None = None
    on_pod_conditions: Items[PodFailurePolicyOnPodConditions] | None = None


class PodFailurePolicy(ApiModel):
    """Rules for failed pods; the first that matches counts."""

    rules: Items[PodFailurePolicyRule]


class JobSuccessPolicyRule(ApiModel):
    """Indexes, and how many of them, whose success is the job's."""

    succeeded_indexes: str | None = None
    succeeded_count: Int32 | None = None


class JobSuccessPolicy(ApiModel):
    """When an indexed job has succeeded before all its pods have."""

    rules: Items[JobSuccessPolicyRule]


class JobSpec(ApiModel):
    """A job: pods of one template until enough of them succeeded."""

    template: PodTemplate
    parallelism: Int32 | None = None
    completions: Int32 | None = None
    completion_mode: str | None = None
    backoff_limit: Int32 | None = None
    backoff_limit_per_index: Int32 | None = None
    max_failed_indexes: Int32 | None = None
    active_deadline_seconds: Int64 | None = None
    ttl_seconds_after_finished: Int32 | None = None
    suspend: bool | None = None
    pod_failure_policy: PodFailurePolicy | None = None
    pod_replacement_policy: str | None = None
    success_policy: JobSuccessPolicy | None = None
    selector: LabelSelector | None = None
    manual_selector: bool | None = None
    managed_by: str | None = None


class JobTemplate(ApiModel):
    """What each job of a replicated job is made from."""

    metadata: EmbeddedMetadata | None = None
    spec: JobSpec | None = None
