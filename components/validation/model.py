"""The one base of everything typed here: frozen, strict, snake_case in Python and camelCase on the wire."""

from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Strict
from pydantic.alias_generators import to_camel

Item = TypeVar("Item")

FrozenList = Annotated[tuple[Item, ...], Strict(False)]
"""A list on the wire, a tuple in Python: `Items[str]` takes a list or a tuple of strings. Its items stay strict."""


class StrictModel(BaseModel):
    """A frozen value that refuses unknown fields and guesses nothing.

    Scalars are strict: `"8"` is no number, `1` is no string, `"true"` is no boolean. In Python a field is given by its
    own name (`num_nodes`) or by its name on the wire (`numNodes`). Lists are declared as `Items[...]`.
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
