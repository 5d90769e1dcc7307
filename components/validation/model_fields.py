"""What a model has at a location: its keys, and the model of what is there."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, get_args, get_origin

from pydantic import BaseModel

from .one_of import OneOf, bare, is_model, union_members
from .paths import FieldPath


def keys_of(model: type[BaseModel]) -> list[str]:
    """What a model's fields are called by those who write it."""
    return [field.alias or name for name, field in model.model_fields.items()]


class Place(NamedTuple):
    """What may be at a location."""

    owner: type[BaseModel] | None
    """The model whose key the location ends with. None: a list or a free mapping."""

    types: tuple[Any, ...]
    """What the value there can be: models, lists, mappings, scalars; of a union that `OneOf` chooses, all members."""

    one_of: OneOf | None = None
    """How one of them is chosen. None: there is no choice, or none by a key."""

    @property
    def models(self) -> list[type[BaseModel]]:
        """The models among the types."""
        return [model for model in map(bare, self.types) if is_model(model)]

    def chosen(self, value: Any) -> "Place":
        """The same with the types that count for a value."""
        return self._replace(types=_chosen(self, value))

    @property
    def tags(self) -> list[str]:
        """The words by which a member can be chosen."""
        if self.one_of is None:
            return []
        return [tag for each in self.types for tag in self.one_of.members(each)]


def place_at(model: type[BaseModel], loc: FieldPath, value: Any) -> Place:
    """What may be at `loc` in a value that is meant for `model`. The value decides which member of a union counts."""
    place = Place(None, (model,))
    for part in loc:
        types = _chosen(place, value)
        owner = next((each for each in map(bare, types) if is_model(each)), None)
        inner = [each for kind in types for each in _inside(kind, part)]
        place = Place(owner, tuple(each for each, _ in inner), next((by for _, by in inner if by), None))
        value = _item(value, part)
    return place


def _chosen(place: Place, value: Any) -> tuple[Any, ...]:
    if place.one_of is None or len(place.types) < 2:
        return place.types
    tag = place.one_of.tag_of(value)
    members = {name: each for kind in place.types for name, each in place.one_of.members(kind).items()}
    return (members[tag],) if tag in members else place.types


def _inside(kind: Any, part: int | str) -> Iterator[tuple[Any, OneOf | None]]:
    """The types of what is at a key or an index of a type, each with how it is chosen."""
    kind = bare(kind)
    if is_model(kind):
        for name, field in kind.model_fields.items():
            if part in (name, field.alias):
                yield from _members(field.annotation, field.metadata)
    elif get_origin(kind) in (dict, Mapping):
        yield from _members(get_args(kind)[1], ())
    elif get_origin(kind) is tuple:
        yield from _members(get_args(kind)[0], ())


def _members(annotation: Any, marks: Any) -> Iterator[tuple[Any, OneOf | None]]:
    by = next((each for each in (*marks, *_marks(annotation)) if isinstance(each, OneOf)), None)
    yield from ((member, by) for member in union_members(annotation))


def _marks(annotation: Any) -> Iterator[Any]:
    """The annotations of a type and, where it is a union with None, of the other member."""
    if hasattr(annotation, "__metadata__"):
        yield from annotation.__metadata__
    for each in get_args(bare(annotation)):
        if hasattr(each, "__metadata__"):
            yield from each.__metadata__


def _item(value: Any, part: int | str) -> Any:
    try:
        return value[part]
    except (LookupError, TypeError):
        return None
