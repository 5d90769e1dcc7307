"""What the API's objects are made of: their base, and scalars and lists as strict as the API server."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, PlainValidator, ValidationError
from pydantic_core import PydanticCustomError

from ..validation.errors import raise_errors, rule_error, yaml_repr
from ..validation.model import FrozenList, StrictModel
from ..validation.paths import FieldPath
from ..validation.violation import Violation, only_errors
from .invalid import InvalidRuntimeError
from .official_models import validate_official
from .scalars import int_or_string, integer, quantity
from .schema_errors import violations_of

__all__ = ["FrozenList"]

_ACRONYMS = {"api", "dns", "fqdn", "io", "ip", "ipc", "pid"}


def wire_name(name: str) -> str:
    """A field's name on the wire: `host_ip` is `hostIP` there, `dns_policy` is `dnsPolicy`."""
    first, *rest = name.split("_")
    return first + "".join(word.upper() if word in _ACRONYMS else word.capitalize() for word in rest)


class ApiModel(StrictModel):
    """An object of the API. Building one from wrong arguments raises InvalidRuntimeError with everything that is wrong.

    Every field that is None is absent from the manifest; what is empty, `{}` or `[]`, is there and empty.
    """

    model_config = ConfigDict(alias_generator=wire_name)

    def __init__(self, /, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise InvalidRuntimeError(
                only_errors(self._violations(error, data, by_name=True)), self._subject(data)
            ) from None

    # Pydantic's own mark for an __init__ that nested validation need not call: there the outermost object reports.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @classmethod
    def _violations(cls, error: ValidationError, data: Mapping[str, Any], by_name: bool) -> tuple[Violation, ...]:
        del data, by_name
        return violations_of(error, cls)

    @classmethod
    def _subject(cls, data: Mapping[str, Any]) -> str:
        del data
        return cls.__name__


StringMap = Mapping[str, str]
"""Labels, annotations, selectors."""


Int32 = Annotated[int, PlainValidator(partial(integer, 32), json_schema_input_type=int)]
Int64 = Annotated[int, PlainValidator(partial(integer, 64), json_schema_input_type=int)]

Quantity = Annotated[int | str, PlainValidator(quantity, json_schema_input_type=int | str)]
"""An amount: a whole number, or a string with a suffix (`500m`, `16Gi`)."""

Quantities = Mapping[str, Quantity]
"""Amounts by the name of the resource."""


IntOrString = Annotated[int | str, PlainValidator(int_or_string, json_schema_input_type=int | str)]
"""A number, or a name that stands for one."""

JsonObject = Mapping[str, Any]
"""A mapping as it stands in a manifest."""


def official_type(name: str) -> PlainValidator:
    """A rare object of Kubernetes: plain data, checked by the official model of that name."""
    return PlainValidator(partial(validate_official, name), json_schema_input_type=dict[str, Any])


def at_most(limit: int, rule: str) -> AfterValidator:
    """A list of at most `limit` items."""

    def check(items: tuple[Any, ...]) -> tuple[Any, ...]:
        if len(items) > limit:
            raise rule_error(rule, f"{len(items)} items are too many.", f"Keep {limit} or fewer.")
        return items

    return AfterValidator(check)


def unique(*keys: str, rule: str = "CTR-33", absent: Mapping[str, object] | None = None) -> AfterValidator:
    """A list whose items differ in `keys`, or as a whole. `absent` is what stands for a key that is absent."""
    defaults = absent or {}

    def key_of(item: object) -> tuple[object, ...]:
        if not keys:
            return (item,)
        values = {key: getattr(item, key) for key in keys}
        return tuple(defaults.get(key) if value is None else value for key, value in values.items())

    def check(items: tuple[Any, ...]) -> tuple[Any, ...]:
        first: dict[tuple[object, ...], int] = {}
        refused: list[tuple[FieldPath, PydanticCustomError]] = []
        for index, item in enumerate(items):
            if (earlier := first.setdefault(key := key_of(item), index)) != index:
                what = ", ".join(map(yaml_repr, key))
                what += f" as {', '.join(map(wire_name, keys))}" if keys else ""
                fix = "Take one of them out, or change it."
                refused.append(((index,), rule_error(rule, f"{what} is in the list twice, first at [{earlier}].", fix)))
        if refused:
            raise_errors(refused)
        return items

    return AfterValidator(check)
