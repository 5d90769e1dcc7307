"""Training runtimes: what a TrainJob is made from."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from pydantic import PrivateAttr, ValidationError

from ..violation import Severity, Violation
from .invalid import InvalidRuntime, violations_of
from .jobset import JobSetTemplate
from .metadata import ObjectMeta
from .policies import MLPolicy, PodGroupPolicy
from .wire import ApiModel

API_VERSION: Literal["trainer.kubeflow.org/v1alpha1"] = "trainer.kubeflow.org/v1alpha1"


class TrainingRuntimeSpec(ApiModel):
    """What a TrainJob is made from."""

    ml_policy: MLPolicy | None = None
    pod_group_policy: PodGroupPolicy | None = None
    template: JobSetTemplate | None = None


class Runtime(ApiModel):
    """What both kinds of runtimes share."""

    KIND: ClassVar[str]

    api_version: Literal["trainer.kubeflow.org/v1alpha1"] = API_VERSION
    metadata: ObjectMeta
    spec: TrainingRuntimeSpec

    _adopted: tuple[Violation, ...] = PrivateAttr(default=())

    def __init__(self, /, **data: Any) -> None:
        super().__init__(**data)
        self._refuse_errors()

    @classmethod
    def from_manifest(cls, manifest: Mapping[str, Any], adopt: bool = False) -> Self:
        """The runtime that a manifest describes, as written or as `kubectl get -o yaml` prints it."""
        del adopt
        try:
            runtime = cls.model_validate(manifest, by_alias=True, by_name=False)
        except ValidationError as error:
            raise InvalidRuntime(violations_of(error, cls)) from None
        runtime._refuse_errors()
        return runtime

    def to_manifest(self) -> dict[str, Any]:
        """The manifest: apiVersion and kind first, then only what was set."""
        return {"apiVersion": self.api_version, "kind": self.KIND} | self.model_dump(
            mode="json", by_alias=True, exclude_none=True
        )

    def check(self) -> tuple[Violation, ...]:
        """Everything that is to be said about this runtime. Errors stop its construction: what is left are warnings."""
        # The rules are written in terms of these models.
        from . import rules  # noqa: PLC0415

        return (*self._adopted, *rules.check(self))

    def _refuse_errors(self) -> None:
        errors = [violation for violation in self.check() if violation.severity is Severity.ERROR]
        if errors:
            raise InvalidRuntime(errors)


class ClusterTrainingRuntime(Runtime):
    """A runtime that TrainJobs of every namespace can refer to."""

    KIND: ClassVar[str] = "ClusterTrainingRuntime"

    kind: Literal["ClusterTrainingRuntime"] = "ClusterTrainingRuntime"


class TrainingRuntime(Runtime):
    """A runtime for the TrainJobs of its own namespace."""

    KIND: ClassVar[str] = "TrainingRuntime"

    kind: Literal["TrainingRuntime"] = "TrainingRuntime"
