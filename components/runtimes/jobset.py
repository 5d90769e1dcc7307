"""The JobSet template: the jobs of a training, their order, network, success and failure.

Source of every field and default: api/jobset/v1alpha2/jobset_types.go of JobSet v0.12.0, whose schema is part of the
CRD of Trainer v2.3.0. Trainer makes a JobSet from it for each TrainJob.
"""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, model_validator
from pydantic_core import PydanticCustomError

from ..k8s.base import ApiModel, FrozenList, Int32, Int64, JsonObject, at_most, official_type, unique
from ..k8s.claims import PersistentVolumeClaimSpec
from ..k8s.jobs import JobTemplate
from ..k8s.metadata import EmbeddedMetadata
from ..validation.errors import raise_errors, rule_error
from ..validation.paths import FieldPath

DependsOnStatus = Literal["Ready", "Complete"]
FailurePolicyAction = Literal[
    "FailJobSet",
    "RestartJobSet",
    "RestartJobSetAndIgnoreMaxRestarts",
    "RestartJob",
    "RestartJobAndIgnoreMaxRestarts",
]


def _not_negative(seconds: int) -> int:
    if seconds < 0:
        raise rule_error("CTR-28", f"{seconds} is negative.", "Write 0 or more.")
    return seconds


class DependsOn(ApiModel):
    """An earlier replicated job that this one waits for: it is created once that one has reached the status."""

    name: str
    """Name of a replicated job that stands earlier in the list."""

    status: DependsOnStatus
    """Ready: all its pods are ready. Complete: all its jobs have succeeded."""


class ReplicatedJob(ApiModel):
    """A job, and how many of it."""

    name: str
    """Unique in the runtime. Trainer knows the jobs `node`, `launcher`, `dataset-initializer`, `model-initializer`."""

    template: JobTemplate
    """What each of its jobs is made from."""

    replicas: Int32 | None = None
    """How many jobs. Default 1, and 1 is what Trainer wants of the jobs that it fills in."""

    group_name: str | None = None
    """Group in which its jobs are counted. Default `default`."""

    depends_on: Annotated[FrozenList[DependsOn], at_most(5, "CTR-20"), unique("name", rule="CTR-20")] | None = None
    """What must have happened before its jobs are created; at most 5, each job once. Default: nothing."""


class Network(ApiModel):
    """How the pods find each other."""

    enable_dns_hostnames: bool | None = None
    """Whether pods have DNS names: `<jobset>-<job>-<job index>-<pod index>.<subdomain>`. Default true."""

    subdomain: str | None = None
    """Name of the headless service. Default: the JobSet's name."""

    publish_not_ready_addresses: bool | None = None
    """Whether a pod has its DNS name before it is ready. Default true."""


class SuccessPolicy(ApiModel):
    """Which jobs' success makes the JobSet succeed. Default: all of all."""

    operator: Literal["All", "Any"]
    """Whether all of the jobs must succeed, or any one."""

    target_replicated_jobs: FrozenList[str] | None = None
    """Names of the replicated jobs that count. Default: all."""


class FailurePolicyRule(ApiModel):
    """What the failure of some jobs means."""

    name: str
    """Name of the rule, unique, of letters, digits, `_`, `,` and `:`."""

    action: FailurePolicyAction
    """What is done. RestartJob and RestartJobAndIgnoreMaxRestarts need a feature gate that is off by default."""

    on_job_failure_reasons: FrozenList[str] | None = None
    """Reasons of the failed job that it is about. Default: any."""

    on_job_failure_message_patterns: FrozenList[str] | None = None
    """Regular expressions, one of which the failed job's message matches. Default: any message."""

    target_replicated_jobs: FrozenList[str] | None = None
    """Names of the replicated jobs that it is about. Default: all."""


class FailurePolicy(ApiModel):
    """What failed jobs mean. Default: one failed job fails the JobSet."""

    max_restarts: Int32 | None = None
    """How often the JobSet is restarted. Default 0."""

    restart_strategy: Literal["Recreate", "BlockingRecreate", "InPlaceRestart"] | None = None
    """Whether new jobs start while old ones go, after all have gone, or in place, for which a feature gate must be on.
    Default Recreate."""

    rules: FrozenList[FailurePolicyRule] | None = None
    """The first that matches counts; where none does, the JobSet restarts."""


class StartupPolicy(ApiModel):
    """Whether the replicated jobs start one after the other."""

    startup_policy_order: Literal["AnyOrder", "InOrder"]
    """InOrder: each is created when all pods of the one before are ready. It excludes dependsOn."""


class Coordinator(ApiModel):
    """The pod whose address all pods have in the label and annotation `jobset.sigs.k8s.io/coordinator`."""

    replicated_job: str
    """Name of its replicated job."""

    job_index: Int64 | None = None
    """Index of its job. Default 0."""

    pod_index: Int64 | None = None
    """Index of the pod in the job. Default 0."""


class VolumeRetentionPolicy(ApiModel):
    """What becomes of claims."""

    when_deleted: Literal["Delete", "Retain"] | None = None
    """Whether they go with the JobSet or stay. Default Delete."""


class VolumeClaimTemplate(ApiModel):
    """A claim that the JobSet makes, and that each container which mounts its name shares."""

    api_version: str | None = None
    """Not read: `v1`."""

    kind: str | None = None
    """Not read: `PersistentVolumeClaim`."""

    metadata: EmbeddedMetadata | None = None
    """Its name, which mounts refer to, labels and annotations; no namespace."""

    spec: PersistentVolumeClaimSpec | None = None
    """What storage it claims."""

    status: Annotated[JsonObject, official_type("IoK8sApiCoreV1PersistentVolumeClaimStatus")] | None = None
    """Not read."""


class VolumeClaimPolicy(ApiModel):
    """Claims of the JobSet's own, and what becomes of them."""

    templates: Annotated[FrozenList[VolumeClaimTemplate], at_most(50, "CTR-29")] | None = None
    """At most 50."""

    retention_policy: VolumeRetentionPolicy | None = None
    """What becomes of them. Default: they go with the JobSet."""

    @model_validator(mode="after")
    def _named(self) -> Self:
        # The CRD's expression fails where the templates, or the metadata of one, are absent: that is refused as well.
        if self.templates is None:
            raise_errors(
                [
                    (
                        ("templates",),
                        rule_error("CTR-30", "The policy has no templates.", "Add templates, or remove the policy."),
                    )
                ]
            )
        refused: list[tuple[FieldPath, PydanticCustomError]] = []
        for index, template in enumerate(self.templates or ()):
            if template.metadata is None:
                error = rule_error("CTR-30", "The claim has no metadata, and so no name.", "Set metadata.name.")
                refused.append((("templates", index, "metadata"), error))
            elif template.metadata.namespace:
                message = f'The namespace of a claim is its TrainJob\'s, not "{template.metadata.namespace}".'
                error = rule_error("CTR-30", message, "Remove it.")
                refused.append((("templates", index, "metadata", "namespace"), error))
        if refused:
            raise_errors(refused)
        return self


class JobSetSpec(ApiModel):
    """Jobs that belong together."""

    replicated_jobs: Annotated[FrozenList[ReplicatedJob], unique("name", rule="CTR-16")] | None = None
    """The jobs, in the order in which they may depend on each other."""

    network: Network | None = None
    success_policy: SuccessPolicy | None = None
    failure_policy: FailurePolicy | None = None
    startup_policy: StartupPolicy | None = None

    suspend: bool | None = None
    """Not for runtimes: Trainer sets it by the TrainJob."""

    coordinator: Coordinator | None = None

    managed_by: str | None = None
    """Controller of the JobSet, where it isn't JobSet's own: `<domain>/<name>`."""

    ttl_seconds_after_finished: Annotated[Int32, AfterValidator(_not_negative)] | None = None
    """How long a finished JobSet stays, in seconds, 0 or more. Default: as long as its TrainJob."""

    volume_claim_policies: Annotated[FrozenList[VolumeClaimPolicy], at_most(50, "CTR-29")] | None = None
    """Claims of the JobSet's own; at most 50 policies."""

    @model_validator(mode="after")
    def _one_order(self) -> Self:
        if self.startup_policy is None or self.startup_policy.startup_policy_order != "InOrder":
            return self
        # The CRD's expression fails where there are no jobs to order: that is refused as well.
        if self.replicated_jobs is None:
            raise_errors(
                [
                    (
                        ("replicatedJobs",),
                        rule_error("CTR-15", "startupPolicy InOrder needs replicatedJobs.", "Set them."),
                    )
                ]
            )
        waiting = [job.name for job in self.replicated_jobs or () if job.depends_on is not None]
        if waiting:
            message = f"InOrder and dependsOn are mutually exclusive, but {' and '.join(waiting)} has dependsOn."
            error = rule_error("CTR-15", message, "Remove the startupPolicy, or every dependsOn.")
            raise_errors([(("startupPolicy", "startupPolicyOrder"), error)])
        return self


class JobSetTemplate(ApiModel):
    """What the JobSet of each TrainJob is made from."""

    metadata: EmbeddedMetadata | None = None
    """Labels and annotations of the JobSets."""

    spec: JobSetSpec | None = None
    """The JobSet."""

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if self.metadata is None and self.spec is None:
            raise rule_error("CTR-02", "The template is empty.", "Set its spec, or remove it.")
        return self
