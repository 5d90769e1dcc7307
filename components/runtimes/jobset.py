"""The JobSet template: jobs of a training, with their order, network, success and failure policies.

Source of every field and default: api/jobset/v1alpha2/jobset_types.go of JobSet v0.12.0, whose schema is part of the
CRD of Trainer v2.3.0. Trainer creates a JobSet from it for each TrainJob.
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
    """An earlier replicated job on which this one depends. This one is created once that one has reached the status."""

    name: str
    """Name of a replicated job earlier in the list."""

    status: DependsOnStatus
    """Ready (all its pods are ready) or Complete (all its jobs have succeeded)."""


class ReplicatedJob(ApiModel):
    """A job template and its number of replicas."""

    name: str
    """Name, unique in the runtime. Trainer gives `node`, `launcher`, `dataset-initializer` and `model-initializer` a
    meaning."""

    template: JobTemplate
    """Template of its jobs."""

    replicas: Int32 | None = None
    """Number of jobs. Default 1, which Trainer requires for the jobs that it fills in."""

    group_name: str | None = None
    """Group in which its jobs are numbered. Default `default`."""

    depends_on: Annotated[FrozenList[DependsOn], at_most(5, "CTR-20"), unique("name", rule="CTR-20")] | None = None
    """Jobs that must reach a status before this one is created. At most 5, without duplicates. Default: none."""


class Network(ApiModel):
    """How the pods find each other."""

    enable_dns_hostnames: bool | None = None
    """Give pods DNS names: `<jobset>-<job>-<job index>-<pod index>.<subdomain>`. Default true."""

    subdomain: str | None = None
    """Name of the headless Service. Default: the JobSet's name."""

    publish_not_ready_addresses: bool | None = None
    """Publish a pod's DNS name before it is ready. Default true."""


class SuccessPolicy(ApiModel):
    """Which jobs must succeed for the JobSet to succeed. Default: all jobs."""

    operator: Literal["All", "Any"]
    """All (every job must succeed) or Any (one is enough)."""

    target_replicated_jobs: FrozenList[str] | None = None
    """Names of the replicated jobs that count. Default: all."""


class FailurePolicyRule(ApiModel):
    """The action when jobs fail in some way."""

    name: str
    """Name of the rule, unique, of letters, digits, `_`, `,` and `:`."""

    action: FailurePolicyAction
    """The action. RestartJob and RestartJobAndIgnoreMaxRestarts need a feature gate that is off by default."""

    on_job_failure_reasons: FrozenList[str] | None = None
    """Failure reasons of jobs that the rule matches. Default: all."""

    on_job_failure_message_patterns: FrozenList[str] | None = None
    """Regular expressions, one of which must match the failure message. Default: any message."""

    target_replicated_jobs: FrozenList[str] | None = None
    """Names of the replicated jobs that the rule applies to. Default: all."""


class FailurePolicy(ApiModel):
    """How failed jobs are handled. Default: one failed job fails the JobSet."""

    max_restarts: Int32 | None = None
    """Maximum number of restarts of the JobSet. Default 0."""

    restart_strategy: Literal["Recreate", "BlockingRecreate", "InPlaceRestart"] | None = None
    """Recreate (new jobs start while old ones terminate), BlockingRecreate (after all have terminated) or
    InPlaceRestart (which needs a feature gate). Default Recreate."""

    rules: FrozenList[FailurePolicyRule] | None = None
    """Rules, checked in order; the first match applies. If none matches, the JobSet restarts."""


class StartupPolicy(ApiModel):
    """Whether the replicated jobs start one after the other."""

    startup_policy_order: Literal["AnyOrder", "InOrder"]
    """InOrder (each job is created when all pods of the one before are ready) or AnyOrder. InOrder and dependsOn are
    mutually exclusive."""


class Coordinator(ApiModel):
    """The pod whose address every pod gets in the label and annotation `jobset.sigs.k8s.io/coordinator`."""

    replicated_job: str
    """Name of the replicated job."""

    job_index: Int64 | None = None
    """Index of the job. Default 0."""

    pod_index: Int64 | None = None
    """Index of the pod in the job. Default 0."""


class VolumeRetentionPolicy(ApiModel):
    """When claims are deleted."""

    when_deleted: Literal["Delete", "Retain"] | None = None
    """Delete (with the JobSet) or Retain. Default Delete."""


class VolumeClaimTemplate(ApiModel):
    """Template of a claim that the JobSet creates. All containers that mount its name share it."""

    api_version: str | None = None
    """Ignored: `v1`."""

    kind: str | None = None
    """Ignored: `PersistentVolumeClaim`."""

    metadata: EmbeddedMetadata | None = None
    """Name, which mounts refer to, labels and annotations. It must not set a namespace."""

    spec: PersistentVolumeClaimSpec | None = None
    """The storage that it claims."""

    status: Annotated[JsonObject, official_type("IoK8sApiCoreV1PersistentVolumeClaimStatus")] | None = None
    """Ignored."""


class VolumeClaimPolicy(ApiModel):
    """Claims that the JobSet creates, and when they are deleted."""

    templates: Annotated[FrozenList[VolumeClaimTemplate], at_most(50, "CTR-29")] | None = None
    """Templates of the claims, at most 50."""

    retention_policy: VolumeRetentionPolicy | None = None
    """When the claims are deleted. Default: with the JobSet."""

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
    """A group of jobs."""

    replicated_jobs: Annotated[FrozenList[ReplicatedJob], unique("name", rule="CTR-16")] | None = None
    """The jobs. A job can depend only on earlier ones."""

    network: Network | None = None
    """How the pods find each other. Default: by DNS names."""
    success_policy: SuccessPolicy | None = None
    """Which jobs must succeed. Default: all."""
    failure_policy: FailurePolicy | None = None
    """How failed jobs are handled. Default: one failed job fails the JobSet."""
    startup_policy: StartupPolicy | None = None
    """Whether the jobs start one after the other. Default AnyOrder."""

    suspend: bool | None = None
    """Not for runtimes: Trainer sets it from the TrainJob."""

    coordinator: Coordinator | None = None
    """The pod whose address every pod gets. Default: none."""

    managed_by: str | None = None
    """Controller that manages the JobSet, `<domain>/<name>`. Default: JobSet's own."""

    ttl_seconds_after_finished: Annotated[Int32, AfterValidator(_not_negative)] | None = None
    """Seconds after which a finished JobSet is deleted, 0 or more. Default: it is kept as long as its TrainJob."""

    volume_claim_policies: Annotated[FrozenList[VolumeClaimPolicy], at_most(50, "CTR-29")] | None = None
    """Claims that the JobSet creates. At most 50 policies."""

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
    """Template of the JobSet of each TrainJob."""

    metadata: EmbeddedMetadata | None = None
    """Labels and annotations of the JobSets."""

    spec: JobSetSpec | None = None
    """Spec of the JobSets."""

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if self.metadata is None and self.spec is None:
            raise rule_error("CTR-02", "The template is empty.", "Set its spec, or remove it.")
        return self
