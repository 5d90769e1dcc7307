"""What the API's objects are made of: the base of its models and its scalars and lists, as strict as the API server."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NoReturn

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, PlainValidator, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from ..model import Items, Model
from .invalid import InvalidRuntime, violations_of

__all__ = ["ApiModel", "Int32", "Int64", "IntOrString", "Items", "Quantity", "StringMap", "at_most", "refuse", "unique"]

_ACRONYMS = {"api", "dns", "fqdn", "io", "ip", "ipc", "pid"}


def wire_name(name: str) -> str:
    """A field's name on the wire: `host_ip` is `hostIP` there, `dns_policy` is `dnsPolicy`."""
    first, *rest = name.split("_")
    return first + "".join(word.upper() if word in _ACRONYMS else word.capitalize() for word in rest)


class ApiModel(Model):
    """An object of the API. Built from wrong arguments it raises InvalidRuntime with everything that is wrong."""

    model_config = ConfigDict(alias_generator=wire_name)

    def __init__(self, /, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise InvalidRuntime(violations_of(error, type(self))) from None

    # Pydantic's own mark for an __init__ that nested validation need not call: there the outermost object reports.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]


def refuse(rule: str, message: str, fix: str) -> PydanticCustomError:
    """The error that a validator raises: a rule's id, what is wrong, what to do."""
    return PydanticCustomError("rule", "{message}", {"rule": rule, "message": message, "fix": fix})


def refuse_items(value: object, refused: Mapping[int, PydanticCustomError]) -> NoReturn:
    """Refuses several items of a list at once, each at its own index."""
    lines = [InitErrorDetails(type=error, loc=(index,), input=value) for index, error in refused.items()]
    raise ValidationError.from_exception_data("list", lines)


# JSON has one number type: the API server takes 2.0 where it wants an integer.
def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


Int32 = Annotated[int, BeforeValidator(_whole), Field(ge=-(2**31), le=2**31 - 1)]
Int64 = Annotated[int, BeforeValidator(_whole), Field(ge=-(2**63), le=2**63 - 1)]
StringMap = Mapping[str, str]

_NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_QUANTITY = re.compile(rf"[+-]?{_NUMBER}(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?{_NUMBER})?")


def _quantity(value: object) -> int | str:
    value = _whole(value)
    if isinstance(value, str) and _QUANTITY.fullmatch(value):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise refuse(
        "CTR-32",
        f"{value!r} is no quantity.",
        'Write a whole number or a string such as "2", "500m" or "16Gi"; a fraction must be a string: "2.5".',
    )


def _int_or_string(value: object) -> int | str:
    value = _whole(value)
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise refuse("CTR-34", f"{value!r} is neither an integer nor a string.", "Write a number or a name.")


Quantity = Annotated[int | str, PlainValidator(_quantity)]
IntOrString = Annotated[int | str, PlainValidator(_int_or_string)]


def unique(*keys: str, rule: str, absent: Mapping[str, object] | None = None) -> AfterValidator:
    """Refuses items of a list that repeat a key. `absent` is what the API server puts in for a key that is absent."""
    defaults = absent or {}

    def check(items: tuple[Any, ...]) -> tuple[Any, ...]:
        seen: dict[tuple[object, ...], int] = {}
        refused: dict[int, PydanticCustomError] = {}
        for index, item in enumerate(items):
            values = tuple(getattr(item, key) if getattr(item, key) is not None else defaults.get(key) for key in keys)
            if values in seen:
                shown = ", ".join(map(repr, values))
                refused[index] = refuse(
                    rule, f"{shown} is here twice, first at [{seen[values]}].", "Rename one of them, or take one out."
                )
            seen.setdefault(values, index)
        if refused:
            refuse_items(items, refused)
        return items

    return AfterValidator(check)


def at_most(limit: int, rule: str) -> AfterValidator:
    """Refuses a list of more items than `limit`."""

    def check(items: Sequence[object]) -> Sequence[object]:
        if len(items) > limit:
            raise refuse(rule, f"It has {len(items)} items, at most {limit} are allowed.", f"Keep {limit} or fewer.")
        return items

    return AfterValidator(check)
