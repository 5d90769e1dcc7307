"""Training runtimes as users build and read them: checked by the schema and by every rule."""

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import PrivateAttr, ValidationError

from ..k8s.bounds import excess
from ..k8s.invalid import InvalidRuntime
from ..k8s.schema_errors import unknown_fields, violations_of
from ..k8s.unknown_fields import RemovedField, removed_fields
from ..validation.errors import shown
from ..validation.paths import Location, null_values, path_of, without
from ..validation.violation import Severity, Violation, errors_in
from . import rules
from .api import Runtime
from .server_fields import as_written


class CheckedRuntime(Runtime):
    """What both kinds of runtimes share.

    Building one, from Python or from a manifest, raises InvalidRuntime with everything that would make a cluster
    refuse it, or TrainJobs fail or hang. What is only doubtful is told by `check`.
    """

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

    def check(self) -> tuple[Violation, ...]:
        """All findings about this runtime. As errors stop its construction, these are warnings."""
        # A runtime does not change, so the rules run once.
        if self._found is None:
            self._found = (*self._left_out, *rules.check(self))
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
                found += rules.check(rest)
        return tuple(dict.fromkeys(found))


class ClusterTrainingRuntime(CheckedRuntime):
    """A runtime for the TrainJobs of all namespaces."""

    kind: Literal["ClusterTrainingRuntime"] = "ClusterTrainingRuntime"


class TrainingRuntime(CheckedRuntime):
    """A runtime for the TrainJobs of its own namespace, `metadata.namespace`."""

    kind: Literal["TrainingRuntime"] = "TrainingRuntime"


def _removed(loc: Location, removed: RemovedField) -> Violation:
    message = f"{loc[-1]} is left out: the API has no such field {removed.why}"
    return Violation("CTR-36", path_of(loc), message, removed.fix, Severity.WARNING)


def _null(loc: Location) -> Violation:
    message = f"{loc[-1]} has no value: the API server drops it without a word, and so it is left out."
    return Violation(
        "CTR-34", path_of(loc), message, f'Take {loc[-1]} out, or write "" as its value.', Severity.WARNING
    )
