"""TrainJobs as typed objects: what a user submits to train with a runtime.

Source of every field and default: pkg/apis/trainer/v1alpha1/trainjob_types.go and the CRDs of Trainer v2.0.0, v2.2.0
and v2.3.0.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import ValidationError

from ..k8s.base import ApiModel, FrozenList, Int32, Int64, IntOrString, StringMap, at_most, unique
from ..k8s.bounds import excess
from ..k8s.containers import ResourceRequirements
from ..k8s.env import EnvVar
from ..k8s.invalid import InvalidRuntimeError
from ..k8s.metadata import ObjectMeta
from ..k8s.schema_errors import violations_of
from ..k8s.volumes import LocalObjectReference
from ..validation.errors import yaml_repr
from ..validation.violation import Violation
from .api import ApiVersion
from .runtime_patches import PodSpecOverride, RuntimePatch
from .server_fields import strip_server_fields

MANAGED_BY_TRAINER = "trainer.kubeflow.org/trainjob-controller"
"""The value of `managedBy` with which Trainer's own controller acts on a TrainJob."""


class RuntimeRef(ApiModel):
    """The runtime that a TrainJob uses."""

    name: str
    """Name of the runtime. A TrainingRuntime is looked for in the TrainJob's namespace."""

    api_group: str | None = None
    """API group of the runtime. Default `trainer.kubeflow.org`."""

    kind: str | None = None
    """ClusterTrainingRuntime or TrainingRuntime. Default ClusterTrainingRuntime."""


class InitializerSource(ApiModel):
    """What a dataset or model initializer downloads."""

    storage_uri: str | None = None
    """URI of the data: `hf://`, `s3://`. It becomes the variable STORAGE_URI."""

    env: Annotated[FrozenList[EnvVar], at_most(128, "CTR-34"), unique("name")] | None = None
    """Environment of the initializer, added to the runtime's."""

    secret_ref: LocalObjectReference | None = None
    """Secret with credentials, whose keys become variables. It must be in the TrainJob's namespace."""


class Initializer(ApiModel):
    """What is downloaded before the training."""

    dataset: InitializerSource | None = None
    """The dataset, for the job `dataset-initializer`."""

    model: InitializerSource | None = None
    """The model, for the job `model-initializer`."""


class Trainer(ApiModel):
    """The training itself: what goes to the job with the ancestor label `trainer`, into its container `node`."""

    image: str | None = None
    """Image of the container. Default: the runtime's."""

    command: Annotated[FrozenList[str], at_most(128, "CTR-34")] | None = None
    """Command of the container. Default: the runtime's."""

    args: Annotated[FrozenList[str], at_most(128, "CTR-34")] | None = None
    """Arguments of the command. Default: the runtime's."""

    env: Annotated[FrozenList[EnvVar], at_most(128, "CTR-34"), unique("name")] | None = None
    """Environment of the container, added to the runtime's."""

    num_nodes: Int32 | None = None
    """Number of nodes. Default: the runtime's `mlPolicy.numNodes`."""

    resources_per_node: ResourceRequirements | None = None
    """Resources of the container on each node. Trainer 2.3 merges them with the runtime's; 2.0 and 2.2 replace
    those."""

    num_proc_per_node: IntOrString | None = None
    """Processes on each node. Default: for torch by the resources, for MPI and Flux the runtime's. A string (`auto`,
    `cpu`, `gpu`) is valid for Trainer 2.0 only."""


class TrainJobSpec(ApiModel):
    """The spec of a TrainJob."""

    runtime_ref: RuntimeRef
    """The runtime. Immutable."""

    initializer: Initializer | None = None
    """What is downloaded before the training. Immutable."""

    trainer: Trainer | None = None
    """The training. Immutable."""

    runtime_patches: Annotated[FrozenList[RuntimePatch], at_most(16, "CTR-34"), unique("manager")] | None = None
    """Changes of the runtime's template, by manager. Trainer 2.2 and later."""

    labels: StringMap | None = None
    """Labels of the JobSet. Trainer 2.0."""

    annotations: StringMap | None = None
    """Annotations of the JobSet. Trainer 2.0."""

    pod_spec_overrides: FrozenList[PodSpecOverride] | None = None
    """Changes of the pods of the runtime's jobs. Trainer 2.0."""

    suspend: bool | None = None
    """Whether the TrainJob waits: no pod is created before this is false. Default false."""

    active_deadline_seconds: Int64 | None = None
    """Seconds after which the TrainJob fails and its pods are deleted. Default: none. Trainer 2.2 and later."""

    managed_by: str | None = None
    """The controller that acts on the TrainJob. Default: Trainer's. Immutable."""


class TrainJob(ApiModel):
    """A training: a runtime, and what is different for this one."""

    api_version: ApiVersion = "trainer.kubeflow.org/v1alpha1"
    kind: Literal["TrainJob"] = "TrainJob"
    metadata: ObjectMeta
    spec: TrainJobSpec

    @classmethod
    def from_manifest(cls, manifest: Mapping[str, Any]) -> Self:
        """The TrainJob of a manifest, as written by a user or printed by `kubectl get -o yaml`.

        Fields that the API server sets are removed. Raises InvalidRuntimeError with all errors.
        """
        if not isinstance(manifest, Mapping):
            message = f"{yaml_repr(manifest)} is not a manifest."
            raise InvalidRuntimeError(
                [Violation("CTR-34", "", message, "Pass the mapping of one TrainJob.")], cls.__name__
            )
        if too_much := excess(manifest):
            raise InvalidRuntimeError([Violation("CTR-34", "", too_much, "Write a smaller manifest.")], cls.__name__)
        data = {"apiVersion": None, "kind": None, **strip_server_fields(manifest)}
        try:
            return cls.model_validate(data, by_alias=True, by_name=False)
        except ValidationError as error:
            raise InvalidRuntimeError(violations_of(error, cls), cls._subject(data)) from None

    def to_manifest(self) -> dict[str, Any]:
        """The manifest: only what was set, apiVersion and kind first."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)

    @classmethod
    def _subject(cls, data: Mapping[str, Any]) -> str:
        metadata = data.get("metadata")
        name = metadata.get("name") if isinstance(metadata, Mapping) else getattr(metadata, "name", None)
        return f"{cls.__name__} {name}" if name and isinstance(name, str) else cls.__name__
