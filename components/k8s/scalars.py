"""Integers and quantities as the API server reads them."""

import re

from ..validation.errors import rule_error, wrong_type, yaml_repr

# The CRD's pattern without fractional exponents: the CRD accepts `1e1.5`, but no controller can parse it.
_NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_QUANTITY = re.compile(rf"[+-]?{_NUMBER}(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?")


def integer(bits: int, value: object) -> int:
    """An integer of `bits` bits. JSON has one number type, so 2.0 is accepted as 2."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong_type(value, "an integer")
    limit = 2 ** (bits - 1)
    if not -limit <= value < limit:
        fix = f"Write a number from {-limit} to {limit - 1}."
        raise rule_error("CTR-07", f"{yaml_repr(value)} is out of range for a {bits}-bit integer.", fix)
    return value


def int_or_string(value: object) -> int | str:
    """An integer, or a string such as the name of a port."""
    return value if isinstance(value, str) else integer(32, value)


def quantity(value: object) -> int | str:
    """A quantity: an integer, or a string with a suffix."""
    if isinstance(value, str) and _QUANTITY.fullmatch(value):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    fix = 'Write a whole number, or a string such as "2", "500m" or "16Gi".'
    if isinstance(value, float):
        fix = f'Put it in quotes: "{yaml_repr(value)}".'
    elif isinstance(value, str) and _QUANTITY.fullmatch(bare := value.replace(" ", "").rstrip("Bb")):
        fix = f'Did you mean "{bare}"?'
    raise rule_error("CTR-32", f"{yaml_repr(value)} is not a valid quantity.", fix)
