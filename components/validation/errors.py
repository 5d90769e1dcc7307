"""Errors that validators raise: with the id of a rule, a message and a fix."""

from collections.abc import Mapping, Sequence
from typing import NoReturn

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from .paths import FieldPath
from .printable import printable
from .secret_detection import without_tokens

RULE_ERROR = "refusal"
"""Pydantic's error type of these errors."""


def rule_error(rule: str, message: str, fix: str) -> PydanticCustomError:
    """The error that a validator raises. Its text is one line, whatever it quotes."""
    message, fix = printable(message), printable(fix)
    return PydanticCustomError(RULE_ERROR, "{message}", {"rule": rule, "message": message, "fix": fix})


def raise_errors(refused: Sequence[tuple[FieldPath, PydanticCustomError]]) -> NoReturn:
    """Raise several errors, each with its path below the value that is being validated."""
    lines = [InitErrorDetails(type=error, loc=loc, input=loc) for loc, error in refused]
    raise ValidationError.from_exception_data("refused", lines)


def yaml_repr(value: object) -> str:
    """A short form of a value, as YAML would show it."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case str():
            value = without_tokens(value)
            return f'"{value}"' if len(value) <= 60 else f'"{value[:57]}..."'
        case Mapping():
            return "a mapping"
        case list() | tuple():
            return "a list"
        case _:
            return _other(value)


def _other(value: object) -> str:
    if isinstance(value, int) and value.bit_length() > MAX_SHOWN_BITS:
        return "a number of more than 60 digits"
    return str(value) if isinstance(value, int | float) else f"a value of the type {type(value).__name__}"


MAX_SHOWN_BITS = 200
"""Maximum bits of an integer that is shown: about 60 digits. Python cannot print more than 4,300 digits."""


def wrong_type(value: object, expected: str) -> PydanticCustomError:
    """The error for a value that is not `expected`: a string, an integer, true or false, a list, a mapping."""
    match expected, value:
        case "a string", bool():
            fix = f'Put it in quotes: "{yaml_repr(value)}". YAML reads y, yes and on as true; n, no and off as false.'
        case "a string", int() | float():
            fix = f'Put it in quotes: "{yaml_repr(value)}".'
        case (("an integer" | "true or false"), str()):
            fix = f"Write {expected}, without quotes."
        case _:
            fix = f"Write {expected}."
    given = yaml_repr(value)
    subject = given.capitalize() if isinstance(value, Mapping | list | tuple) else given
    return rule_error("CTR-34", f"{subject} is not {expected}.", fix)
