"""Training runtimes as users build and read them, checked against the schema and every rule."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Self

from pydantic import PrivateAttr, ValidationError

from ..k8s.bounds import excess
from ..k8s.invalid import InvalidRuntimeError
from ..k8s.repair import repair
from ..k8s.schema_errors import violations_of
from ..k8s.unknown_fields import RemovedField, removed_fields, with_meant_policy
from ..validation.errors import yaml_repr
from ..validation.paths import FieldPath, format_path, null_values, remove_paths, split_path
from ..validation.violation import Severity, Violation, only_errors
from . import rules
from .api import BaseTrainingRuntime, TrainingRuntimeSpec
from .server_fields import strip_server_fields


class CheckedRuntime(BaseTrainingRuntime):
    """The base of both kinds of runtimes.

    Building one, in Python or from a manifest, raises InvalidRuntimeError with everything that would make a cluster
    reject it, or TrainJobs fail or hang. `check` returns warnings.
    """

    _dropped_field_warnings: tuple[Violation, ...] = PrivateAttr(default=())
    _violations_cache: tuple[Violation, ...] | None = PrivateAttr(default=None)

    def __init__(self, /, **data: Any) -> None:
        super().__init__(**data)
        if errors := only_errors(self.check()):
            raise InvalidRuntimeError(errors, self._subject(data))

    # As in StrictModel: from_manifest validates without it, and reports for itself.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @classmethod
    def from_manifest(cls, manifest: Mapping[str, Any], adopt: bool = False) -> Self:
        """The runtime of a manifest, as written by a user or printed by `kubectl get -o yaml`.

        Fields that the API server sets (uid, resourceVersion, managedFields, status, kubectl's last-applied annotation,
        ...) are removed, and so is the finalizer of Trainer before 2.3, which nothing else removes. With `adopt`,
        fields that the API has removed are dropped too. Keys without a value that the API server would drop, in a node
        selector for example, are dropped as well. `check` warns about both.

        Raises InvalidRuntimeError with all violations, including warnings.
        """
        if not isinstance(manifest, Mapping):
            found = Violation(
                "CTR-34", "", f"{yaml_repr(manifest)} is not a manifest.", "Pass the mapping of one runtime."
            )
            raise InvalidRuntimeError([found], cls.__name__)
        if too_much := excess(manifest):
            found = Violation("CTR-34", "", too_much, "Write a smaller manifest.")
            raise InvalidRuntimeError([found], cls.__name__)
        data: dict[str, Any] = {"apiVersion": None, "kind": None, **strip_server_fields(manifest)}
        removed = dict(removed_fields(data)) if adopt else {}
        nulls = tuple(null_values(data))
        left_out = (*map(_removed, removed, removed.values()), *map(_null, nulls))
        try:
            runtime = cls.model_validate(data := remove_paths(data, (*removed, *nulls)), by_alias=True, by_name=False)
        except ValidationError as error:
            violations = (*left_out, *cls._violations(error, data, by_name=False))
            raise InvalidRuntimeError(violations, cls._subject(data)) from None
        runtime._dropped_field_warnings = left_out
        violations = runtime.check()
        if only_errors(violations):
            raise InvalidRuntimeError(violations, cls._subject(data))
        return runtime

    def check(self) -> tuple[Violation, ...]:
        """All violations of this runtime. They are warnings, because errors prevent its construction."""
        # A runtime does not change, so the rules run once.
        if self._violations_cache is None:
            self._violations_cache = (*self._dropped_field_warnings, *rules.check(self))
        return self._violations_cache

    def with_images(self, spec: TrainingRuntimeSpec) -> Self:
        """A copy with a spec that differs in images and pull secrets alone, each a valid one: what the rules say of it
        is known already, so they are not run again."""
        return super().model_copy(update={"spec": spec})

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Pydantic's copy, which does not validate `update`. `check` runs again on the copy."""
        copied = super().model_copy(update=update, deep=deep)
        copied._violations_cache = None
        return copied

    @classmethod
    def _violations(cls, error: ValidationError, data: Mapping[str, Any], by_name: bool) -> tuple[Violation, ...]:
        """The schema errors, and the violations of the schema and the rules in the rest of the manifest."""
        found = violations_of(error, cls)
        removed: tuple[FieldPath, ...] = ()
        for _ in range(MAX_REPAIRS):
            repaired = repair(data, error, cls)
            if repaired is None:
                break
            removed += repaired.removed
            data = with_meant_policy(repaired.manifest, removed)
            try:
                rest = cls.model_validate(data, by_alias=True, by_name=by_name)
            except ValidationError as again:
                found += _new(found, removed, violations_of(again, cls))
                error = again
            else:
                by_rules = rules.check(rest)
                # A warning may be about nothing but what was left out.
                found += _new(found, removed, only_errors(by_rules) if removed else by_rules)
                break
        return tuple(dict.fromkeys(found))


MAX_REPAIRS = 5
"""How often a manifest is repaired: leaving a field out may make the object around it incomplete."""


def _new(told: Iterable[Violation], removed: Sequence[FieldPath], found: Iterable[Violation]) -> tuple[Violation, ...]:
    """The violations that are not told yet, and are neither around nor inside what was left out of a manifest."""
    known = {(violation.rule, violation.path) for violation in told}
    locs = [(violation, split_path(violation.path)) for violation in found]
    return tuple(
        violation
        for violation, loc in locs
        if (violation.rule, violation.path) not in known
        and not any(loc[: len(each)] == each[: len(loc)] for each in removed)
    )


class ClusterTrainingRuntime(CheckedRuntime):
    """A runtime for TrainJobs in all namespaces."""

    kind: Literal["ClusterTrainingRuntime"] = "ClusterTrainingRuntime"


class TrainingRuntime(CheckedRuntime):
    """A runtime for TrainJobs in its own namespace, `metadata.namespace`."""

    kind: Literal["TrainingRuntime"] = "TrainingRuntime"


def _removed(loc: FieldPath, removed: RemovedField) -> Violation:
    message = f"{loc[-1]} is ignored: the API has no such field {removed.why}"
    return Violation("CTR-36", format_path(loc), message, removed.fix, Severity.WARNING)


def _null(loc: FieldPath) -> Violation:
    message = f"{loc[-1]} has no value: the API server silently drops it, so it is ignored."
    return Violation("CTR-34", format_path(loc), message, f'Remove {loc[-1]}, or set it to "".', Severity.WARNING)
