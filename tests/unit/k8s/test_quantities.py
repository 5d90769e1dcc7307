"""Quantities as numbers."""

from decimal import Decimal

import pytest

from components.k8s.quantities import amount


@pytest.mark.parametrize(
    ("quantity", "number"),
    [
        (2, "2"),
        ("500m", "0.5"),
        ("+.5", "0.5"),
        ("5.", "5"),
        ("1Ki", "1024"),
        ("1k", "1000"),
        ("1E", "1000000000000000000"),
        ("1E1", "10"),
        ("1e-3", "0.001"),
        ("-1Gi", "-1073741824"),
        ("3u", "0.000003"),
    ],
)
def test_a_quantity_is_a_number(quantity: int | str, number: str) -> None:
    assert amount(quantity) == Decimal(number)


def test_invalid_quantity_raises() -> None:
    with pytest.raises(ValueError, match="'12 potatoes' is not a valid quantity"):
        amount("12 potatoes")
