"""Job templates: how many pods, when they have succeeded, what a failure does.

Shapes from the CRD of Trainer v2.3.0, meanings and defaults from Kubernetes' batch/v1.
"""

from typing import Annotated

from .base import ApiModel, FrozenList, Int32, Int64, unique
from .metadata import EmbeddedMetadata, LabelSelector
from .pods import PodTemplate


class PodFailurePolicyOnExitCodes(ApiModel):
    """Exit codes that a rule is about."""

    operator: str
    """In or NotIn."""

    values: Annotated[FrozenList[Int32], unique()]
    """The codes, each once; 0 only with NotIn."""

    container_name: str | None = None
    """Whose exit code. Default: any container's."""


class PodFailurePolicyOnPodConditions(ApiModel):
    """A condition of the pod that a rule is about."""

    type: str
    """Its type: `DisruptionTarget`."""

    status: str | None = None
    """True, False or Unknown. Default True."""


class PodFailurePolicyRule(ApiModel):
    """What a failed pod means for its job: by exit code, or by a condition."""

    action: str
    """FailJob, FailIndex, Ignore (try again without counting) or Count."""

    on_exit_codes: PodFailurePolicyOnExitCodes | None = None
    on_pod_conditions: FrozenList[PodFailurePolicyOnPodConditions] | None = None


class PodFailurePolicy(ApiModel):
    """What failed pods mean. It needs the pods' restartPolicy to be Never."""

    rules: FrozenList[PodFailurePolicyRule]
    """The first that matches counts; where none does, the failure is counted."""


class JobSuccessPolicyRule(ApiModel):
    """When an indexed job has succeeded."""

    succeeded_indexes: str | None = None
    """Indexes, as `0,2-4`. Default: all."""

    succeeded_count: Int32 | None = None
    """How many of them. Default: all of them."""


class JobSuccessPolicy(ApiModel):
    """When an indexed job has succeeded before all its pods have."""

    rules: FrozenList[JobSuccessPolicyRule]
    """One of them is enough."""


class JobSpec(ApiModel):
    """Pods of one template, until enough of them have succeeded.

    Of the jobs that Trainer fills in, it sets parallelism and completions by the number of nodes.
    """

    template: PodTemplate
    """What its pods are made from."""

    parallelism: Int32 | None = None
    """How many pods run at once. Default 1."""

    completions: Int32 | None = None
    """How many must succeed. Default: as many as parallelism."""

    completion_mode: str | None = None
    """Indexed or NonIndexed. JobSet's default: Indexed."""

    backoff_limit: Int32 | None = None
    """How many pods may fail before the job has. Default 6."""

    backoff_limit_per_index: Int32 | None = None
    """How many pods of one index may fail. Default: no limit of its own."""

    max_failed_indexes: Int32 | None = None
    """How many indexes may fail before the job has; with backoffLimitPerIndex only."""

    active_deadline_seconds: Int64 | None = None
    """How long the job may run, in seconds. Default: without limit."""

    ttl_seconds_after_finished: Int32 | None = None
    """How long the finished job stays, in seconds. Default: as long as its JobSet."""

    suspend: bool | None = None
    """Not for runtimes: JobSet sets it."""

    pod_failure_policy: PodFailurePolicy | None = None

    pod_replacement_policy: str | None = None
    """Whether a pod is replaced as soon as it is going (TerminatingOrFailed) or when it has failed (Failed)."""

    success_policy: JobSuccessPolicy | None = None

    selector: LabelSelector | None = None
    """Not for runtimes: the system sets it."""

    manual_selector: bool | None = None
    """Not for runtimes: whether `selector` is set by hand."""

    managed_by: str | None = None
    """Controller of the job, where it isn't Kubernetes' own."""


class JobTemplate(ApiModel):
    """What each job of a replicated job is made from."""

    metadata: EmbeddedMetadata | None = None
    """Labels and annotations of the jobs. Trainer finds the job that trains by the label
    `trainer.kubeflow.org/trainjob-ancestor-step: trainer`."""

    spec: JobSpec | None = None
    """The job."""
