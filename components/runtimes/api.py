"""Training runtimes: what TrainJobs are made from."""

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import PrivateAttr, ValidationError, model_validator

from ..violation import Severity, Violation, errors_in
from .bounds import excess
from .invalid import InvalidRuntime
from .jobset import JobSetTemplate
from .locations import Location, null_values, path_of, without
from .metadata import ObjectMeta
from .policies import MLPolicy, PodGroupPolicy
from .refusal import refuse, shown
from .schema_errors import unknown_fields, violations_of
from .stored import as_written
from .unknown_fields import RemovedField, removed_fields
from .wire import ApiModel

ApiVersion = Literal["trainer.kubeflow.org/v1alpha1"]


class TrainingRuntimeSpec(ApiModel):
    """What a TrainJob is made from. Something of it must be set."""

    ml_policy: MLPolicy | None = None
    """How many nodes, and how they find each other. Default: one node, nothing that helps."""

    pod_group_policy: PodGroupPolicy | None = None
    """How they are scheduled together. Default: each pod for itself."""

    template: JobSetTemplate | None = None
    """The JobSet: jobs, pods, containers."""

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if self.ml_policy is None and self.pod_group_policy is None and self.template is None:
            raise refuse("CTR-01", "The spec is empty.", "Set its template.")
        return self


class Runtime(ApiModel):
    """What both kinds of runtimes share.

    Building one, from Python or from a manifest, raises InvalidRuntime with everything that would make a cluster
    refuse it, or TrainJobs fail or hang. What is only doubtful is told by `check`.
    """

    api_version: ApiVersion = "trainer.kubeflow.org/v1alpha1"
    kind: str
    metadata: ObjectMeta
    spec: TrainingRuntimeSpec

    _left_out: tuple[Violation, ...] = PrivateAttr(default=())
    _found: tuple[Violation, ...] | None = PrivateAttr(default=None)

    def __init__(self, /, **data: Any) -> None:
        super().__init__(**data)
        if errors := errors_in(self.check()):
            raise InvalidRuntime(errors, self._subject(data))

    # As in ApiModel: from_manifest validates without it, and reports for itself.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @classmethod
    def from_manifest(cls, manifest: Mapping[str, Any], adopt: bool = False) -> Self:
        """The runtime that a manifest describes, as somebody wrote it or as `kubectl get -o yaml` prints it.

        What the server adds (uid, resourceVersion, managedFields, status, kubectl's last-applied annotation, ...) is
        left out, and so is the finalizer of Trainer before 2.3 that nobody takes off any more. With `adopt`, fields
        that the API has no more are left out too. Where the API server would drop a key without a value, of a node
        selector for example, so does this. `check` warns of both.

        Raises InvalidRuntime with all findings, warnings among them.
        """
        if not isinstance(manifest, Mapping):
            found = Violation("CTR-34", "", f"{shown(manifest)} is not a manifest.", "Give the mapping of one runtime.")
            raise InvalidRuntime([found], cls.__name__)
        if too_much := excess(manifest):
            found = Violation("CTR-34", "", too_much, "Write a smaller manifest.")
            raise InvalidRuntime([found], cls.__name__)
        data: dict[str, Any] = {"apiVersion": None, "kind": None, **as_written(manifest)}
        removed = dict(removed_fields(data)) if adopt else {}
        nulls = tuple(null_values(data))
        left_out = (*map(_removed, removed, removed.values()), *map(_null, nulls))
        try:
            runtime = cls.model_validate(data := without(data, (*removed, *nulls)), by_alias=True, by_name=False)
        except ValidationError as error:
            violations = (*left_out, *cls._violations(error, data, by_name=False))
            raise InvalidRuntime(violations, cls._subject(data)) from None
        runtime._left_out = left_out
        violations = runtime.check()
        if errors_in(violations):
            raise InvalidRuntime(violations, cls._subject(data))
        return runtime

    def to_manifest(self) -> dict[str, Any]:
        """The manifest: what was set and nothing else, apiVersion and kind first."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)

    def check(self) -> tuple[Violation, ...]:
        """All findings about this runtime. As errors stop its construction, these are warnings."""
        # A runtime does not change, so the rules run once.
        if self._found is None:
            self._found = (*self._left_out, *_rules(self))
        return self._found

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Pydantic's own copy, whose `update` nothing checks: `check` looks at it anew."""
        copied = super().model_copy(update=update, deep=deep)
        copied._found = None
        return copied

    @classmethod
    def _violations(cls, error: ValidationError, data: Mapping[str, Any], by_name: bool) -> tuple[Violation, ...]:
        """What is wrong with the schema; and where unknown fields hide more, what else is wrong without them."""
        found = violations_of(error, cls)
        if unknown := unknown_fields(error):
            try:
                rest = cls.model_validate(without(data, unknown), by_alias=True, by_name=by_name)
            except ValidationError as other:
                found += violations_of(other, cls)
            else:
                found += _rules(rest)
        return tuple(dict.fromkeys(found))

    @classmethod
    def _subject(cls, data: Mapping[str, Any]) -> str:
        metadata = data.get("metadata")
        name = metadata.get("name") if isinstance(metadata, Mapping) else getattr(metadata, "name", None)
        return f"{cls.__name__} {name}" if name and isinstance(name, str) else cls.__name__


class ClusterTrainingRuntime(Runtime):
    """A runtime for the TrainJobs of all namespaces."""

    kind: Literal["ClusterTrainingRuntime"] = "ClusterTrainingRuntime"


class TrainingRuntime(Runtime):
    """A runtime for the TrainJobs of its own namespace, `metadata.namespace`."""

    kind: Literal["TrainingRuntime"] = "TrainingRuntime"


def _rules(runtime: Runtime) -> tuple[Violation, ...]:
    # The rules are written in terms of these models, so they can't be imported before them.
    from . import rules

    return rules.check(runtime)


def _removed(loc: Location, removed: RemovedField) -> Violation:
    message = f"{loc[-1]} is left out: the API has no such field {removed.why}"
    return Violation("CTR-36", path_of(loc), message, removed.fix, Severity.WARNING)


def _null(loc: Location) -> Violation:
    message = f"{loc[-1]} has no value: the API server drops it without a word, and so it is left out."
    return Violation(
        "CTR-34", path_of(loc), message, f'Take {loc[-1]} out, or write "" as its value.', Severity.WARNING
    )
