"""What a TrainJob changes in the template of its runtime: `runtimePatches` of Trainer 2.2 and later, and
`podSpecOverrides` of Trainer 2.0.

Source of every field and limit: pkg/apis/trainer/v1alpha1/trainjob_types.go of Trainer v2.0.0, v2.2.0 and v2.3.0.
"""

from typing import Annotated

from ..k8s.base import ApiModel, FrozenList, Int64, StringMap, at_most, unique
from ..k8s.containers import VolumeMount
from ..k8s.env import EnvVar
from ..k8s.metadata import EmbeddedMetadata
from ..k8s.pods import PodSchedulingGate
from ..k8s.scheduling import Affinity, Toleration
from ..k8s.security import PodSecurityContext, SecurityContext
from ..k8s.volumes import LocalObjectReference, Volume


class ContainerPatch(ApiModel):
    """Changes of one container, which the runtime must have."""

    name: str
    """Name of the container."""

    env: Annotated[FrozenList[EnvVar], at_most(128, "CTR-34"), unique("name")] | None = None
    """Variables to add or replace. Not for `node` and the initializers: their variables are those of `trainer` and
    `initializer`."""

    volume_mounts: Annotated[FrozenList[VolumeMount], at_most(128, "CTR-34")] | None = None
    """Mounts to add or replace, by mount path."""

    security_context: SecurityContext | None = None
    """Fields to set in the container's security context. Trainer 2.2 and later."""


class PodSpecPatch(ApiModel):
    """The fields of a pod spec that a patch may change."""

    service_account_name: str | None = None
    """ServiceAccount of the pods."""

    volumes: Annotated[FrozenList[Volume], at_most(128, "CTR-34"), unique("name")] | None = None
    """Volumes to add or replace, by name."""

    init_containers: Annotated[FrozenList[ContainerPatch], at_most(64, "CTR-34"), unique("name")] | None = None
    """Changes of init containers."""

    containers: Annotated[FrozenList[ContainerPatch], at_most(64, "CTR-34"), unique("name")] | None = None
    """Changes of containers."""

    image_pull_secrets: Annotated[FrozenList[LocalObjectReference], at_most(64, "CTR-34")] | None = None
    """Pull secrets to add."""

    security_context: PodSecurityContext | None = None
    """Fields to set in the pod's security context."""

    node_selector: StringMap | None = None
    """Labels to add to those that a node must have."""

    affinity: Affinity | None = None
    """Fields to set in the pod's affinity."""

    tolerations: Annotated[FrozenList[Toleration], at_most(128, "CTR-34")] | None = None
    """Tolerations, which replace those of the runtime."""

    scheduling_gates: Annotated[FrozenList[PodSchedulingGate], at_most(16, "CTR-34"), unique("name")] | None = None
    """Gates that keep the pods from being scheduled, to add."""

    termination_grace_period_seconds: Int64 | None = None
    """Seconds that a pod has to end. Trainer 2.3."""


class PodTemplatePatch(ApiModel):
    """Changes of the pods of a job."""

    metadata: EmbeddedMetadata | None = None
    """Labels and annotations to add to the pods."""

    spec: PodSpecPatch | None = None
    """Changes of the pod spec."""


class JobSpecPatch(ApiModel):
    """Changes of the spec of a job."""

    template: PodTemplatePatch | None = None
    """Changes of its pods."""


class JobTemplatePatch(ApiModel):
    """Changes of a job."""

    metadata: EmbeddedMetadata | None = None
    """Labels and annotations to add to the job."""

    spec: JobSpecPatch | None = None
    """Changes of its spec."""


class ReplicatedJobPatch(ApiModel):
    """Changes of one replicated job, which the runtime must have."""

    name: str
    """Name of the replicated job."""

    template: JobTemplatePatch | None = None
    """Changes of its jobs."""


class JobSetSpecPatch(ApiModel):
    """Changes of the JobSet's spec."""

    replicated_jobs: Annotated[FrozenList[ReplicatedJobPatch], at_most(100, "CTR-34"), unique("name")] | None = None
    """Changes of replicated jobs."""


class JobSetTemplatePatch(ApiModel):
    """Changes of the JobSet."""

    metadata: EmbeddedMetadata | None = None
    """Labels and annotations to add to the JobSet."""

    spec: JobSetSpecPatch | None = None
    """Changes of its spec."""


class TrainingRuntimeSpecPatch(ApiModel):
    """Changes of a runtime's spec."""

    template: JobSetTemplatePatch | None = None
    """Changes of the JobSet's template."""


class RuntimePatch(ApiModel):
    """The changes of one manager: a user, or a controller such as Kueue's."""

    manager: str
    """Who owns the patch: `<domain>/<name>`, unique in the TrainJob."""

    time: str | None = None
    """When the patch was written. Trainer's webhook sets it."""

    training_runtime_spec: TrainingRuntimeSpecPatch | None = None
    """The changes."""


class PodSpecOverrideTargetJob(ApiModel):
    """A replicated job that an override is for."""

    name: str
    """Name of the replicated job."""


class PodSpecOverride(ApiModel):
    """Changes of the pods of some replicated jobs. Trainer 2.0."""

    target_jobs: Annotated[FrozenList[PodSpecOverrideTargetJob], unique("name")]
    """The replicated jobs."""

    service_account_name: str | None = None
    """ServiceAccount of the pods."""

    node_selector: StringMap | None = None
    """Labels to add to those that a node must have."""

    tolerations: FrozenList[Toleration] | None = None
    """Tolerations, which replace those of the runtime."""

    volumes: Annotated[FrozenList[Volume], unique("name")] | None = None
    """Volumes to add or replace, by name."""

    init_containers: Annotated[FrozenList[ContainerPatch], unique("name")] | None = None
    """Changes of init containers."""

    containers: Annotated[FrozenList[ContainerPatch], unique("name")] | None = None
    """Changes of containers."""

    scheduling_gates: Annotated[FrozenList[PodSchedulingGate], unique("name")] | None = None
    """Gates that keep the pods from being scheduled, to add."""
