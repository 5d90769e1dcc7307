"""Field lookup in API models."""

from collections.abc import Iterator
from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from ..validation.paths import FieldPath


def fields_of(model: type[BaseModel]) -> dict[str, type[BaseModel] | None]:
    """The fields of a model by their names in manifests, each with the model of its value or items, if any."""
    return {field.alias or name: next(_models(field.annotation), None) for name, field in model.model_fields.items()}


def to_wire_path(model: type[BaseModel], loc: FieldPath) -> FieldPath:
    """Translate a path inside `model` from Python names to names in manifests."""
    wire: list[int | str] = []
    inner: type[BaseModel] | None = model
    for part in loc:
        name = part
        if inner is not None and isinstance(part, str):
            field = inner.model_fields.get(part)
            name = (field.alias if field else None) or part
            inner = fields_of(inner).get(name)
        wire.append(name)
    return tuple(wire)


def model_at(model: type[BaseModel], loc: FieldPath) -> type[BaseModel] | None:
    """The model of the value at a path inside `model`, or None."""
    inner: type[BaseModel] | None = model
    for part in loc:
        if isinstance(part, str):
            inner = fields_of(inner).get(part) if inner else None
    return inner


def suggest_path(root: type[BaseModel], loc: FieldPath) -> str | None:
    """The path in the API that ends with the same field name as `loc` and is nearest to it, or None. Lists are written
    as `containers[]`."""
    *here, name = (part for part in loc if isinstance(part, str)) if isinstance(loc[-1], str) else ("",)

    def distance(place: tuple[str, ...]) -> int:
        shared = 0
        while shared < min(len(here), len(place)) and here[shared] == place[shared].removesuffix("[]"):
            shared += 1
        return len(here) + len(place) - 2 * shared

    places = [place for place in _places(root) if place[-1].removesuffix("[]") == name]
    if not places:
        return None
    nearest = min(places, key=distance)
    return ".".join(nearest).removesuffix("[]")


@cache
def _places(model: type[BaseModel]) -> tuple[tuple[str, ...], ...]:
    """The path to every field below a model."""
    places: list[tuple[str, ...]] = []
    for name, field in model.model_fields.items():
        key = (field.alias or name) + ("[]" if "tuple" in str(field.annotation) else "")
        inner = next(_models(field.annotation), None)
        places += [(key,), *((key, *below) for below in (_places(inner) if inner else ()))]
    return tuple(places)


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    elif get_origin(annotation) in (Union, UnionType, tuple, Annotated):
        for argument in get_args(annotation):
            yield from _models(argument)
