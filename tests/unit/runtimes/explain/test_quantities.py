"""Quantities as Go writes them."""

import pytest

from components.runtimes.explain.quantities import Quantity, canonical, canonical_resources, rounded_up


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("1000m", "1"),
        ("1500m", "1500m"),
        ("0.5", "500m"),
        (2, "2"),
        ("1000", "1k"),
        ("1200", "1200"),
        ("1024Mi", "1Gi"),
        ("1.5Gi", "1536Mi"),
        ("0.1Gi", "107374182400m"),
        ("1e3", "1e3"),
        ("0Gi", "0"),
        ("0.5Ki", "512"),
        ("100n", "100n"),
        ("0.0000000001", "1n"),
        ("+1", "+1"),
        ("+1000", "1k"),
        ("007", "007"),
        ("1.500", "1.500"),
        ("1.5", "1500m"),
        ("12Mi", "12Mi"),
        ("+12Mi", "+12Mi"),
        ("+8Mi", "8Mi"),
        ("+100Ti", "100Ti"),
        ("+99Ti", "+99Ti"),
        ("8Ei", "9223372036854775807"),
        ("1E3", "1E3"),
        ("-1", "-1"),
        ("1e1", "10"),
    ],
)
def test_a_quantity_is_written_as_go_writes_it(written: str | int, stored: str) -> None:
    assert canonical(written) == stored


def test_a_sum_is_written_as_the_first_that_is_not_zero() -> None:
    zero, binary, decimal = Quantity.of("0"), Quantity.of("1Gi"), Quantity.of("1G")
    assert str(zero + binary) == "1Gi"
    assert str(binary + decimal) == "2073741824"
    assert str(decimal + binary) == "2073741824"
    assert str(decimal + decimal) == "2G"


def test_a_product_is_written_as_its_factor() -> None:
    assert str(Quantity.of("512Mi") * 4) == "2Gi"
    assert str(Quantity.of("250m") * 4) == "1"


def test_resources_are_written_one_by_one() -> None:
    assert canonical_resources({"cpu": "4000m", "memory": "2048Mi"}) == {"cpu": "4", "memory": "2Gi"}


def test_a_part_of_an_integer_is_rounded_up() -> None:
    assert (rounded_up("1500m"), rounded_up(2), rounded_up("1Ki")) == (2, 2, 1024)
