"""Metadata: of a runtime itself, and of the templates inside it."""

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import model_validator

from ..validation.errors import raise_errors, rule_error
from .base import ApiModel, FrozenList, StringMap, official_type

OwnerReference = Annotated[Mapping[str, Any], official_type("IoK8sApimachineryPkgApisMetaV1OwnerReference")]


class EmbeddedMetadata(ApiModel):
    """Metadata of a template inside a runtime: of the JobSet, a job, a pod, a claim.

    The API knows these five fields there and drops every other (`generateEmbeddedObjectMeta` of Trainer 2.3.0's CRD).
    """

    name: str | None = None
    """Name of what is made. Means something for claims only; the rest is named by its controller."""

    namespace: str | None = None
    """Must be absent in a claim; elsewhere it is not read."""

    labels: StringMap | None = None
    """Labels of what is made."""

    annotations: StringMap | None = None
    """Annotations of what is made."""

    finalizers: FrozenList[str] | None = None
    """What must be done before what is made can go."""


class ObjectMeta(EmbeddedMetadata):
    """Metadata of a runtime."""

    name: str | None = None
    """What TrainJobs call the runtime by."""

    generate_name: str | None = None
    """Start of a name that the API server completes, where `name` is absent."""

    namespace: str | None = None
    """Where a TrainingRuntime lives. A ClusterTrainingRuntime has none."""

    owner_references: FrozenList[OwnerReference] | None = None
    """Objects that this one goes with."""

    @model_validator(mode="after")
    def _named(self) -> Self:
        if self.name is None and self.generate_name is None:
            raise_errors([(("name",), rule_error("CTR-35", "name is required and missing.", "Set name."))])
        return self


class LabelSelectorRequirement(ApiModel):
    """One thing that a label must be."""

    key: str
    """Name of the label."""

    operator: str
    """In, NotIn, Exists or DoesNotExist."""

    values: FrozenList[str] | None = None
    """For In and NotIn: the values."""

    def holds(self, value: str | None) -> bool:
        """Whether a label may have this value, None where it is absent."""
        match self.operator:
            case "In":
                return value in (self.values or ())
            case "NotIn":
                return value not in (self.values or ())
            case "Exists":
                return value is not None
            case _:
                return value is None


class LabelSelector(ApiModel):
    """Objects by their labels. All of it must hold; an empty one selects everything."""

    match_labels: StringMap | None = None
    """Labels with exactly these values."""

    match_expressions: FrozenList[LabelSelectorRequirement] | None = None
    """More than equality."""

    def selects(self, labels: Mapping[str, str]) -> bool:
        """Whether something with these labels is one of them."""
        wanted = self.match_labels or {}
        return all(labels.get(key) == value for key, value in wanted.items()) and all(
            requirement.holds(labels.get(requirement.key)) for requirement in self.match_expressions or ()
        )
