"""The schema of training runtimes, from which TrainJobs are created."""

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import model_validator

from ..k8s.base import ApiModel
from ..k8s.metadata import ObjectMeta
from ..validation.errors import rule_error
from .jobset import JobSetTemplate
from .ml_policy import MLPolicy, PodGroupPolicy

ApiVersion = Literal["trainer.kubeflow.org/v1alpha1"]

FRAMEWORK = "trainer.kubeflow.org/framework"
"""The label of a runtime from which the SDK reads its framework. The SDK does not see a runtime without it."""

IN_USE_FINALIZER = "trainer.kubeflow.org/resource-in-use"
"""The finalizer that Trainer before 2.3 adds to runtimes (pkg/constants/constants.go, Trainer 2.2.1). Newer versions do
not remove it."""


class TrainingRuntimeSpec(ApiModel):
    """The spec of a runtime. At least one field must be set."""

    ml_policy: MLPolicy | None = None
    """Number of nodes and the settings of the framework. Default: one node, no framework."""

    pod_group_policy: PodGroupPolicy | None = None
    """Gang scheduling. Default: each pod is scheduled by itself."""

    template: JobSetTemplate | None = None
    """Template of the JobSet: jobs, pods, containers."""

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if self.ml_policy is None and self.pod_group_policy is None and self.template is None:
            raise rule_error("CTR-01", "The spec is empty.", "Set its template.")
        return self


class BaseTrainingRuntime(ApiModel):
    """The schema of both kinds of runtimes, for rules and tools. `ClusterTrainingRuntime` and `TrainingRuntime` add the
    checks."""

    api_version: ApiVersion = "trainer.kubeflow.org/v1alpha1"
    kind: str
    metadata: ObjectMeta
    spec: TrainingRuntimeSpec

    def to_manifest(self) -> dict[str, Any]:
        """The manifest: only what was set, apiVersion and kind first."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)

    @classmethod
    def _subject(cls, data: Mapping[str, Any]) -> str:
        metadata = data.get("metadata")
        name = metadata.get("name") if isinstance(metadata, Mapping) else getattr(metadata, "name", None)
        return f"{cls.__name__} {name}" if name and isinstance(name, str) else cls.__name__
