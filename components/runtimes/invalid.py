"""A runtime that cannot work: every reason at once, none of them in a library's words."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ..violation import Violation


class InvalidRuntime(ValueError):  # noqa: N818 - what is invalid is the runtime
    """Raised with everything that is wrong with a runtime, or with a part of one."""

    def __init__(self, violations: Sequence[Violation]) -> None:
        self.violations = tuple(violations)
        """What is wrong, each with rule, path, message, fix and severity."""
        super().__init__("\n".join(map(str, self.violations)))


# Ids of the rules that a missing field, or a value that is none of the allowed ones, breaks in the model of that name.
_MISSING = {
    "EnvInjectionTarget": "CTR-10",
    "ReplicatedJob": "CTR-17",
    "JobSpec": "CTR-18",
    "PodSpec": "CTR-18",
    "Container": "CTR-19",
    "DependsOn": "CTR-21",
    "SuccessPolicy": "CTR-22",
    "StartupPolicy": "CTR-23",
    "FailurePolicyRule": "CTR-24",
    "Coordinator": "CTR-27",
}
_UNSUPPORTED = {
    "MPIPolicy": "CTR-04",
    "NetworkTopology": "CTR-14",
    "DependsOn": "CTR-21",
    "SuccessPolicy": "CTR-22",
    "StartupPolicy": "CTR-23",
    "FailurePolicyRule": "CTR-25",
    "FailurePolicy": "CTR-26",
    "VolumeRetentionPolicy": "CTR-31",
}

_NUMBER_RANGE = {"greater_than_equal", "less_than_equal", "int_parsing_size"}


def violations_of(error: ValidationError, model: type[BaseModel]) -> tuple[Violation, ...]:
    """Everything that `error` says about a `model`, in the words and with the ids of our rules."""
    return tuple(_violation(details, model) for details in error.errors(include_url=False))


def path_of(loc: Sequence[int | str]) -> str:
    """A location as people write it: `spec.containers[0].name`."""
    path = ""
    for part in loc:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            path += f".{part}" if path else part
    return path


def _violation(details: ErrorDetails, model: type[BaseModel]) -> Violation:
    loc, kind, value = details["loc"], details["type"], details["input"]
    path, name = path_of(loc), str(loc[-1]) if loc else ""
    owner = _owner(model, loc[:-1])
    owner_name = owner.__name__ if owner else ""
    context: Mapping[str, Any] = details.get("ctx", {})
    if kind == "rule":
        return Violation(context["rule"], path, context["message"], context["fix"])
    if kind == "missing" or (value is None and kind != "extra_forbidden"):
        rule = _MISSING.get(owner_name, "CTR-35")
        return Violation(rule, path, f"{name} is required and missing.", f"Give {name} a value.")
    if kind == "extra_forbidden":
        return unknown_field(path, name, owner)
    if kind == "literal_error":
        rule = _UNSUPPORTED.get(owner_name, "CTR-34")
        allowed = context["expected"]
        return Violation(rule, path, f"{value!r} is not supported.", f"Use one of {allowed}.")
    if kind in _NUMBER_RANGE:
        return Violation("CTR-07", path, f"{value!r} is out of the range of this integer.", "Write a number that fits.")
    return Violation("CTR-34", path, f"{value!r} has the wrong type.", f"{details['msg'].replace('Input', name)}.")


def unknown_field(path: str, name: str, owner: type[BaseModel] | None) -> Violation:
    """The violation for a field that `owner` doesn't have, with the nearest one that it has."""
    known = [field.alias or key for key, field in owner.model_fields.items()] if owner else []
    nearest = get_close_matches(name, known, n=1, cutoff=0.5)
    fix = f"Did you mean {nearest[0]}?" if nearest else f"Take it out; known here: {', '.join(sorted(known))}."
    return Violation("CTR-36", path, f"{name} is no field of the API here; the API server drops it or refuses it.", fix)


def _owner(model: type[BaseModel], loc: Sequence[int | str]) -> type[BaseModel] | None:
    """The model that stands at `loc`, seen from `model`."""
    owner: type[BaseModel] | None = model
    for part in loc:
        if isinstance(part, int):
            continue
        fields = owner.model_fields if owner else {}
        field = next((field for key, field in fields.items() if part in (key, field.alias)), None)
        owner = next(_models(field.annotation), None) if field else None
    return owner


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models inside an annotation: optional, listed, annotated."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    elif get_origin(annotation) in (Union, UnionType, tuple, Annotated):
        for argument in get_args(annotation):
            yield from _models(argument)
