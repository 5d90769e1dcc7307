"""The base class of all models: frozen, strict, snake_case in Python and camelCase in files."""

from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Strict
from pydantic.alias_generators import to_camel

Item = TypeVar("Item")

FrozenList = Annotated[tuple[Item, ...], Strict(False)]
"""A list in files, a tuple in Python: `FrozenList[str]` accepts a list or tuple of strings. Its items are strict."""


class StrictModel(BaseModel):
    """A frozen model that rejects unknown fields and does not convert values.

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
