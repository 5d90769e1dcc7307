"""Integers and quantities as the API server reads them."""

from typing import Any

import pytest
from pydantic_core import PydanticCustomError

from components.k8s.scalars import int_or_string, integer, quantity


def refusal(error: PydanticCustomError) -> tuple[Any, ...]:
    said = error.context or {}
    return said["rule"], said["message"], said["fix"]


@pytest.mark.parametrize(
    ("bits", "value", "read"),
    [(32, 0, 0), (32, 2.0, 2), (32, 2**31 - 1, 2**31 - 1), (32, -(2**31), -(2**31)), (64, 2**31, 2**31)],
)
def test_integer_in_range_is_read(bits: int, value: object, read: int) -> None:
    number = integer(bits, value)
    assert (number, type(number)) == (read, int)


@pytest.mark.parametrize("value", [2**31, -(2**31) - 1])
def test_integer_out_of_range_is_rejected_with_the_range(value: int) -> None:
    with pytest.raises(PydanticCustomError) as error:
        integer(32, value)
    assert refusal(error.value) == (
        "CTR-07",
        f"{value} is out of range for a 32-bit integer.",
        "Write a number from -2147483648 to 2147483647.",
    )


@pytest.mark.parametrize("value", [True, 1.5, "1", None, []])
def test_other_types_are_not_integers(value: object) -> None:
    with pytest.raises(PydanticCustomError) as error:
        integer(32, value)
    assert refusal(error.value)[0] == "CTR-34"


def test_name_or_number_of_a_port_is_read() -> None:
    assert [int_or_string(value) for value in ("http", "80", 80, 80.0)] == ["http", "80", 80, 80]
    with pytest.raises(PydanticCustomError) as error:
        int_or_string(2**31)
    assert refusal(error.value)[0] == "CTR-07"


@pytest.mark.parametrize("value", ["2", "+2", "-2.5", ".5", "2.", "500m", "16Gi", "1e3", "1E-3", "100n", 7, 0])
def test_quantity_is_kept_as_it_is_written(value: object) -> None:
    assert quantity(value) == value


def test_whole_float_is_an_integer() -> None:
    number = quantity(2.0)
    assert (number, type(number)) == (2, int)


@pytest.mark.parametrize(
    ("value", "message", "fix"),
    [
        ("16 GB", '"16 GB" is not a valid quantity.', 'Did you mean "16G"?'),
        ("16GiB", '"16GiB" is not a valid quantity.', 'Did you mean "16Gi"?'),
        (1.5, "1.5 is not a valid quantity.", 'Put it in quotes: "1.5".'),
        (
            "1e1.5",
            '"1e1.5" is not a valid quantity.',
            'Write a whole number, or a string such as "2", "500m" or "16Gi".',
        ),
        (True, "true is not a valid quantity.", 'Write a whole number, or a string such as "2", "500m" or "16Gi".'),
        (None, "null is not a valid quantity.", 'Write a whole number, or a string such as "2", "500m" or "16Gi".'),
    ],
)
def test_invalid_quantity_is_rejected_with_what_was_meant(value: object, message: str, fix: str) -> None:
    with pytest.raises(PydanticCustomError) as error:
        quantity(value)
    assert refusal(error.value) == ("CTR-32", message, fix)
