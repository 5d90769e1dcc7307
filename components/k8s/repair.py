"""A manifest without its schema errors, so that the rest of it can be checked too."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ..validation.errors import yaml_repr
from ..validation.near import nearest
from ..validation.paths import FieldPath, remove_paths
from .schema import fields_of, model_at, to_wire_path


class Repaired(NamedTuple):
    """What could be made of a manifest."""

    manifest: dict[str, Any]

    removed: tuple[FieldPath, ...]
    """What had to be left out, because it is unclear what was meant."""


def repair(manifest: Mapping[str, Any], error: ValidationError, model: type[BaseModel]) -> Repaired | None:
    """The manifest with each value that `error` is about written as it was probably meant, or left out.

    None: an error is about the whole of it.
    """
    repaired: Any = manifest
    removed: set[FieldPath] = set()
    for details in error.errors(include_url=False):
        loc = tuple(part for part in details["loc"] if part != "[key]")
        if details["type"] == "extra_forbidden" and (name := _meant_field(repaired, loc, model)):
            repaired = _renamed(repaired, loc, name)
        elif (value := _meant_value(details)) is not None:
            repaired = _replaced(repaired, loc, value)
        else:
            removed.add(_removable(loc, details["type"]))
    if () in removed:
        return None
    return Repaired(remove_paths(repaired, removed), tuple(to_wire_path(model, loc) for loc in removed))


def _meant_field(manifest: Any, loc: FieldPath, model: type[BaseModel]) -> str | None:
    """The field that a misspelled one stands for, if it is not there as well."""
    owner = model_at(model, to_wire_path(model, loc[:-1]))
    name = nearest(str(loc[-1]).replace("_", ""), fields_of(owner), cutoff=0.8) if owner else None
    return None if name in (_at(manifest, loc[:-1]) or {}) else name


def _meant_value(details: ErrorDetails) -> object:
    """The value in the type that is expected, where there is no doubt. None: there is."""
    value, context = details["input"], details.get("ctx", {})
    is_amount = context.get("rule") == "CTR-32" and isinstance(value, float) and "/" not in str(details["loc"][-1])
    if is_amount or (details["type"] == "string_type" and isinstance(value, bool | int | float)):
        return yaml_repr(value)
    if isinstance(value, str) and str(context.get("message", "")).endswith("is not an integer."):
        return int(value) if value.isdecimal() and len(value) < 10 else None
    if isinstance(value, str) and details["type"] == "bool_type":
        return {"true": True, "false": False}.get(value.lower())
    return None


def _removable(loc: FieldPath, kind: str) -> FieldPath:
    """What to leave out: where a field is missing, the object. Never an item of a list, or the others would move."""
    if kind == "missing":
        loc = loc[:-1]
    while loc and isinstance(loc[-1], int):
        loc = loc[:-1]
    return loc


def _at(manifest: Any, loc: FieldPath) -> Any:
    for part in loc:
        try:
            manifest = manifest[part]
        except (LookupError, TypeError):
            return None
    return manifest


def _replaced(manifest: Any, loc: FieldPath, value: object) -> Any:
    if not loc:
        return value
    if isinstance(manifest, Mapping) and loc[0] in manifest:
        return {**manifest, loc[0]: _replaced(manifest[loc[0]], loc[1:], value)}
    if isinstance(manifest, list | tuple) and isinstance(loc[0], int):
        return [_replaced(item, loc[1:], value) if index == loc[0] else item for index, item in enumerate(manifest)]
    return manifest


def _renamed(manifest: Any, loc: FieldPath, name: str) -> Any:
    owner = _at(manifest, loc[:-1])
    if not isinstance(owner, Mapping):
        return manifest
    return _replaced(manifest, loc[:-1], {name if key == loc[-1] else key: value for key, value in owner.items()})
