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
    """The path in the API that ends with the same field name as `loc` and is nearest to it. Lists are written as
    `containers[]`.

    None where the paths found have nothing to do with `loc`: the API has the name in several objects, and none of them
    encloses `loc`, is below it, or has a parent of the same name.
    """
    *here, name = (part for part in loc if isinstance(part, str)) if isinstance(loc[-1], str) else ("",)

    def shared(place: tuple[str, ...]) -> int:
        count = 0
        while count < min(len(here), len(place)) and here[count] == place[count].removesuffix("[]"):
            count += 1
        return count

    def is_related(place: tuple[str, ...]) -> bool:
        parent = place[:-1]
        in_line = shared(parent) in (len(here), len(parent))
        return in_line or (bool(parent) and parent[-1].removesuffix("[]") == here[-1])

    found = [place for place in _places(root) if place[-1].removesuffix("[]") == name]
    owners = {model_at(root, tuple(part.removesuffix("[]") for part in place[:-1])) for place in found}
    places = found if len(owners) == 1 else [place for place in found if is_related(place)]
    if not places:
        return None
    nearest = min(places, key=lambda place: len(here) + len(place) - 2 * shared(place))
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
