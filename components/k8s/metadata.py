"""Metadata of runtimes and of the templates inside them, and label selectors."""

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import model_validator

from ..validation.errors import raise_errors, rule_error
from .base import ApiModel, FrozenList, StringMap, official_type

OwnerReference = Annotated[Mapping[str, Any], official_type("IoK8sApimachineryPkgApisMetaV1OwnerReference")]


class EmbeddedMetadata(ApiModel):
    """Metadata of a template inside a runtime: of the JobSet, a job, a pod or a claim.

    The API has only these five fields there and drops all others (`generateEmbeddedObjectMeta` of Trainer 2.3.0's CRD).
    """

    name: str | None = None
    """Name of the object. Used for claims only; other objects are named by their controllers."""

    namespace: str | None = None
    """Must be absent for a claim. Ignored elsewhere."""

    labels: StringMap | None = None
    """Labels of the objects created from the template."""

    annotations: StringMap | None = None
    """Annotations of the objects created from the template."""

    finalizers: FrozenList[str] | None = None
    """Finalizers of the objects. An object is deleted only after all are removed."""


class ObjectMeta(EmbeddedMetadata):
    """Metadata of a runtime."""

    name: str | None = None
    """Name by which TrainJobs refer to the runtime."""

    generate_name: str | None = None
    """Prefix of a name that the API server completes. Used if `name` is absent."""

    namespace: str | None = None
    """Namespace of a TrainingRuntime. Must be absent for a ClusterTrainingRuntime."""

    owner_references: FrozenList[OwnerReference] | None = None
    """Owners of the runtime. It is deleted once all of them are gone."""

    @model_validator(mode="after")
    def _named(self) -> Self:
        if self.name is None and self.generate_name is None:
            raise_errors([(("name",), rule_error("CTR-35", "name is required and missing.", "Set name."))])
        return self


class LabelSelectorRequirement(ApiModel):
    """A condition on one label."""

    key: str
    """Key of the label."""

    operator: str
    """In, NotIn, Exists or DoesNotExist."""

    values: FrozenList[str] | None = None
    """Values for In and NotIn. Must be absent or empty for Exists and DoesNotExist."""

    def holds(self, value: str | None) -> bool:
        """Whether the condition is met by a label with this value, or without it if `value` is None."""
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
    """Selects objects by their labels. All conditions must be met; an empty selector selects everything."""

    match_labels: StringMap | None = None
    """Labels that the object must have, with exactly these values."""

    match_expressions: FrozenList[LabelSelectorRequirement] | None = None
    """Further conditions on labels."""

    def selects(self, labels: Mapping[str, str]) -> bool:
        """Whether an object with these labels is selected."""
        wanted = self.match_labels or {}
        return all(labels.get(key) == value for key, value in wanted.items()) and all(
            requirement.holds(labels.get(requirement.key)) for requirement in self.match_expressions or ()
        )
