"""Base class of API objects, and scalar and list types as strict as the API server."""

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
    """The name of a field in manifests: `host_ip` is `hostIP`, `dns_policy` is `dnsPolicy`."""
    first, *rest = name.split("_")
    return first + "".join(word.upper() if word in _ACRONYMS else word.capitalize() for word in rest)


class ApiModel(StrictModel):
    """An API object. Invalid arguments raise InvalidRuntimeError, which lists every violation.

    A field that is None is left out of the manifest. An empty `{}` or `[]` is written as it is.
    """

    model_config = ConfigDict(alias_generator=wire_name)

    @classmethod
    def _invalid(cls, error: ValidationError, data: Mapping[str, Any]) -> InvalidRuntimeError:
        return InvalidRuntimeError(only_errors(cls._violations(error, data, by_name=True)), cls._subject(data))

    @classmethod
    def _violations(cls, error: ValidationError, data: Mapping[str, Any], by_name: bool) -> tuple[Violation, ...]:
        del data, by_name
        return violations_of(error, cls)

    @classmethod
    def _subject(cls, data: Mapping[str, Any]) -> str:
        del data
        return cls.__name__


StringMap = Mapping[str, str]
"""Labels, annotations or selectors."""


Int32 = Annotated[int, PlainValidator(partial(integer, 32), json_schema_input_type=int)]
Int64 = Annotated[int, PlainValidator(partial(integer, 64), json_schema_input_type=int)]

Quantity = Annotated[int | str, PlainValidator(quantity, json_schema_input_type=int | str)]
"""A resource quantity: an integer, or a string with a suffix (`500m`, `16Gi`)."""

Quantities = Mapping[str, Quantity]
"""Quantities by resource name."""


IntOrString = Annotated[int | str, PlainValidator(int_or_string, json_schema_input_type=int | str)]
"""An integer, or the name of a port."""

JsonObject = Mapping[str, Any]
"""A mapping with the keys that it has in a manifest."""


def official_type(name: str) -> PlainValidator:
    """A validator for a rarely used Kubernetes object: plain data, checked against Kubeflow's model `name`."""
    return PlainValidator(partial(validate_official, name), json_schema_input_type=dict[str, Any])


def at_most(limit: int, rule: str) -> AfterValidator:
    """A validator for a list of at most `limit` items."""

    def check(items: tuple[Any, ...]) -> tuple[Any, ...]:
        if len(items) > limit:
            raise rule_error(
                rule, f"The list has {len(items)} items; the maximum is {limit}.", f"Keep {limit} or fewer."
            )
        return items

    return AfterValidator(check)


def unique(*keys: str, rule: str = "CTR-33", absent: Mapping[str, object] | None = None) -> AfterValidator:
    """A validator for a list whose items differ in `keys`, or in everything if there are no keys. `absent` maps a key
    to the value that an absent key stands for."""
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
                fix = "Remove or change one of them."
                refused.append(((index,), rule_error(rule, f"Duplicate item: {what} is already at [{earlier}].", fix)))
        if refused:
            raise_errors(refused)
        return items

    return AfterValidator(check)
