"""Quantities as Go writes them: `1000m` is stored as `1`, `0.5` as `500m`, `1024Mi` as `1Gi`.

Source: ParseQuantity, Quantity.CanonicalizeBytes, Add and Mul in
k8s.io/apimachinery/pkg/api/resource/quantity.go@v0.36.2.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

from ...k8s.quantities import amount

_EXPONENT = re.compile(r"[eE][+-]?[0-9]+$")
_DECIMAL = {-9: "n", -6: "u", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E"}
_BINARY = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")

_PARTS = re.compile(r"[+-]?0*(?P<whole>[0-9]*)\.?(?P<part>[0-9]*)(?P<suffix>[A-Za-z]*|[eE][+-]?[0-9]+)")
_MAX_DIGITS = 18
"""Digits of a decimal number that Go reads as an integer (maxInt64Factors)."""

_MAX_BINARY = Decimal(2**63 - 1)
"""The number to which Go reduces a larger one (maxAllowed)."""

Resources = Mapping[str, int | str]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and the way it is written."""

    number: Decimal
    notation: str
    """decimal, exponent or binary."""

    @classmethod
    def of(cls, text: int | str) -> "Quantity":
        """The quantity that a text represents."""
        written = str(text)
        notation = "binary" if written.endswith("i") else "exponent" if _EXPONENT.search(written) else "decimal"
        number = amount(text)
        return cls(max(-_MAX_BINARY, min(_MAX_BINARY, number)) if notation == "binary" else number, notation)

    def __add__(self, other: "Quantity") -> "Quantity":
        """The sum, written as the first one that is not zero."""
        return Quantity(self.number + other.number, self.notation if self.number else other.notation)

    def __mul__(self, factor: int) -> "Quantity":
        """The quantity so many times."""
        return Quantity(self.number * factor, self.notation)

    def __str__(self) -> str:
        """The quantity as Go writes it."""
        if not self.number:
            return "0"
        if self.notation == "binary" and abs(self.number) >= 1024 and self.number == int(self.number):
            return _binary(int(self.number))
        mantissa, exponent = _scaled(self.number)
        if self.notation == "exponent":
            return f"{mantissa}e{exponent}" if exponent else str(mantissa)
        return f"{mantissa}{_DECIMAL.get(exponent, f'e{exponent}')}"


def _binary(number: int) -> str:
    power = 0
    while number % 1024 == 0 and power < len(_BINARY) - 1:
        number //= 1024
        power += 1
    return f"{number}{_BINARY[power]}"


def _scaled(number: Decimal) -> tuple[int, int]:
    """Mantissa and exponent, a multiple of 3, with the fewest digits."""
    number = number.quantize(Decimal("1e-9"), rounding=ROUND_CEILING) if number.as_tuple().exponent < -9 else number  # type: ignore[operator]
    sign, digits, exponent = number.normalize().as_tuple()
    mantissa = int("".join(map(str, digits))) * (-1 if sign else 1)
    shift = int(exponent) % 3
    return mantissa * 10**shift, int(exponent) - shift


def canonical(quantity: int | str) -> str:
    """The quantity as Go writes one that it has read."""
    written = str(quantity)
    return written if _is_kept(written) else str(Quantity.of(written))


def _is_kept(written: str) -> bool:
    """Whether ParseQuantity keeps the text because it looks canonical: `+1` and `1.500` do."""
    parts = _PARTS.fullmatch(written)
    if parts is None:
        return False
    whole, part, suffix = parts["whole"] or "0", parts["part"], parts["suffix"]
    digits = whole + part
    if suffix in _BINARY[1:]:
        exponent = 10 * _BINARY.index(suffix)
        fits = 15 - len(whole) - exponent * 3 // 10 - 1 >= 0
        return not part and fits and int(whole) % 8 != 0
    exponent = int(suffix[1:]) if suffix[1:] else next(power for power, name in _DECIMAL.items() if name == suffix)
    scale = exponent - len(part)
    fits = len(digits) <= _MAX_DIGITS and scale >= min(_DECIMAL)
    return fits and scale % 3 == 0 and not digits.endswith("000") and digits[0] != "0"


def canonical_resources(resources: Resources) -> dict[str, str]:
    """Resources with each quantity as Go writes it."""
    return {name: canonical(quantity) for name, quantity in resources.items()}


def rounded_up(quantity: int | str) -> int:
    """The quantity as an integer, rounded up: `Quantity.Value`."""
    return int(amount(quantity).to_integral_value(rounding=ROUND_CEILING))
