"""The base class of all models: frozen, strict, snake_case in Python and camelCase in files."""

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Strict, ValidationError
from pydantic.alias_generators import to_camel

from .argument_errors import argument_violations
from .invalid import InvalidSpecError

Item = TypeVar("Item")

FrozenList = Annotated[tuple[Item, ...], Strict(False)]
"""A list in files, a tuple in Python: `FrozenList[str]` accepts a list or tuple of strings. Its items are strict."""


class StrictModel(BaseModel):
    """A frozen model that rejects unknown fields and does not convert values.

    Invalid arguments raise InvalidSpecError, which lists every violation. `model_validate` raises pydantic's own error.

    Scalars are strict: `"8"` is not a number, `1` is not a string, `"true"` is not a boolean. In Python a field can be
    set by its own name (`num_nodes`) or by its name in files (`numNodes`). Lists are declared as `FrozenList[...]`.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        # Validators are built at first use, once for all models inside: building each for itself takes twice as long.
        defer_build=True,
    )

    def __init__(self, /, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise self._invalid(error, data) from None

    # Pydantic's own mark for an __init__ that nested validation need not call: the outermost object reports errors.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @classmethod
    def _invalid(cls, error: ValidationError, data: Mapping[str, Any]) -> InvalidSpecError:
        """The exception for arguments that pydantic rejects."""
        return InvalidSpecError(tuple(argument_violations(error, cls, data)), cls.__name__)
