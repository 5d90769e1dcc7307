"""Unions whose member is chosen by a key, before anything of it is validated."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, Discriminator, Field, GetCoreSchemaHandler, Tag, ValidationError
from pydantic_core import CoreSchema, ErrorDetails, InitErrorDetails, core_schema

from .errors import RULE_ERROR, rule_error
from .paths import FieldPath

_CHOICE_ERRORS = ("union_tag_not_found", "union_tag_invalid")
"""Pydantic's errors about the choice itself. They are at the union, all others are below the tag of a member."""


@dataclass(frozen=True)
class OneOf:
    """Annotates a union: `Annotated[Spot | OnDemand, OneOf("kind")]`.

    Errors are those of the chosen member, at the path that the user wrote. Pydantic's own unions of this kind put the
    member's tag into the path.
    """

    key: str
    """The key that chooses. Each member has it with one literal value, or has the value as pydantic's `Tag`."""

    choose: Callable[[Any], str | None] | None = None
    """Returns the tag of the member that a value is meant for. Default: the value of the key."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Pydantic's own schema of such a union, inside one that takes the tags out of the paths."""
        by: Any = Discriminator(self.choose) if self.choose else Field(discriminator=self.key)
        tagged = handler.generate_schema(Annotated[source, by])
        return core_schema.no_info_wrap_validator_function(_without_tags, tagged)

    def tag_of(self, value: object) -> str | None:
        """The tag that a value has, whether a member has it or not."""
        if self.choose:
            return self.choose(value)
        found = value.get(self.key) if isinstance(value, Mapping) else getattr(value, self.key, None)
        return found if isinstance(found, str) else None

    def members(self, union: Any) -> dict[str, Any]:
        """The members of an annotated union by tag."""
        return {tag: member for member in union_members(union) for tag in self._tags(member)}

    def _tags(self, member: Any) -> Iterator[str]:
        marks = get_args(member)[1:] if get_origin(member) is Annotated else ()
        if tags := [mark.tag for mark in marks if isinstance(mark, Tag)]:
            yield from tags
        elif is_model(model := bare(member)):
            field = next(each for name, each in model.model_fields.items() if self.key in (name, each.alias))
            yield from get_args(field.annotation) if get_origin(field.annotation) is Literal else ()


def bare(annotation: Any) -> Any:
    """The type inside of `Annotated`."""
    return bare(get_args(annotation)[0]) if get_origin(annotation) is Annotated else annotation


def is_model(annotation: Any) -> bool:
    """Whether a type is a model."""
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def union_members(annotation: Any) -> Iterator[Any]:
    """The members of a union but None, as they are annotated; of another type itself."""
    if get_origin(bare(annotation)) in (Union, UnionType):
        for member in get_args(bare(annotation)):
            yield from union_members(member)
    elif bare(annotation) is not type(None):
        yield annotation


def _without_tags(value: Any, validate: Callable[[Any], Any]) -> Any:
    try:
        return validate(value)
    except ValidationError as error:
        lines = [_without_tag(details) for details in error.errors(include_url=False)]
        raise ValidationError.from_exception_data(error.title, lines) from None


def _without_tag(details: ErrorDetails) -> InitErrorDetails:
    loc: FieldPath = details["loc"]
    kind, context = details["type"], details.get("ctx", {})
    if kind not in _CHOICE_ERRORS or loc:
        loc = loc[1:]
    return InitErrorDetails(
        type=rule_error(**context) if kind == RULE_ERROR else kind,
        loc=loc,
        input=details["input"],
        ctx=context,
    )
