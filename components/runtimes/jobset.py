"""The JobSet template: the jobs of a training, their order, network, success and failure."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from .jobs import JobTemplate
from .metadata import EmbeddedMetadata
from .volumes import PersistentVolumeClaimSpec
from .wire import ApiModel, Int32, Int64, Items, at_most, unique

FailurePolicyAction = Literal[
    "FailJobSet",
    "RestartJobSet",
    "RestartJobSetAndIgnoreMaxRestarts",
    "RestartJob",
    "RestartJobAndIgnoreMaxRestarts",
]
DependsOnStatus = Literal["Ready", "Complete"]


class DependsOn(ApiModel):
    """An earlier replicated job, and the status that it must reach before this one is created."""

    name: str
    status: DependsOnStatus


class ReplicatedJob(ApiModel):
    """A job, as many times as `replicas` says."""

    name: str
    template: JobTemplate
    replicas: Int32 | None = None
    group_name: str | None = None
    depends_on: Annotated[Items[DependsOn], at_most(5, "CTR-20"), unique("name", rule="CTR-20")] | None = None


class Network(ApiModel):
    """How the pods find each other."""

    enable_dns_hostnames: bool | None = None
    subdomain: str | None = None
    publish_not_ready_addresses: bool | None = None


class SuccessPolicy(ApiModel):
    """Which jobs' success is the JobSet's."""

    operator: Literal["All", "Any"]
    target_replicated_jobs: Items[str] | None = None


class FailurePolicyRule(ApiModel):
    """What a failed job means for the JobSet."""

    name: str
    action: FailurePolicyAction
    on_job_failure_reasons: Items[str] | None = None
    on_job_failure_message_patterns: Items[str] | None = None
    target_replicated_jobs: Items[str] | None = None


class FailurePolicy(ApiModel):
    """What failed jobs mean for the JobSet."""

    max_restarts: Int32 | None = None
    restart_strategy: Literal["Recreate", "BlockingRecreate", "InPlaceRestart"] | None = None
    rules: Items[FailurePolicyRule] | None = None


class StartupPolicy(ApiModel):
    """Whether replicated jobs start one after the other."""

    startup_policy_order: Literal["AnyOrder", "InOrder"]


class Coordinator(ApiModel):
    """The pod whose stable address all pods get in an annotation."""

    replicated_job: str
    job_index: Int64 | None = None
    pod_index: Int64 | None = None


class VolumeRetentionPolicy(ApiModel):
    """What becomes of the claims."""

    when_deleted: Literal["Delete", "Retain"] | None = None


class VolumeClaimTemplate(ApiModel):
    """A claim that the JobSet makes and its pods share."""

    api_version: str | None = None
    kind: str | None = None
    metadata: EmbeddedMetadata | None = None
    spec: PersistentVolumeClaimSpec | None = None
    status: Mapping[str, Any] | None = None


class VolumeClaimPolicy(ApiModel):
    """Claims of the JobSet's own, and what becomes of them."""

    templates: Annotated[Items[VolumeClaimTemplate], at_most(50, "CTR-29")] | None = None
    retention_policy: VolumeRetentionPolicy | None = None


class JobSetSpec(ApiModel):
    """A JobSet: jobs that belong together."""

    replicated_jobs: Annotated[Items[ReplicatedJob], unique("name", rule="CTR-16")] | None = None
    network: Network | None = None
    success_policy: SuccessPolicy | None = None
    failure_policy: FailurePolicy | None = None
    startup_policy: StartupPolicy | None = None
    suspend: bool | None = None
    coordinator: Coordinator | None = None
    managed_by: str | None = None
    ttl_seconds_after_finished: Int32 | None = None
    volume_claim_policies: Annotated[Items[VolumeClaimPolicy], at_most(50, "CTR-29")] | None = None


class JobSetTemplate(ApiModel):
    """What each TrainJob's JobSet is made from."""

    metadata: EmbeddedMetadata | None = None
    spec: JobSetSpec | None = None
