"""Errors of validators: values as YAML shows them, and what to write for one of another type."""

from typing import Any

import pytest
from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from components.validation.errors import raise_errors, rule_error, wrong_type, yaml_repr


class Thing:
    pass


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        ("a", '"a"'),
        ("a" * 60, f'"{"a" * 60}"'),
        ("a" * 61, f'"{"a" * 57}..."'),
        ({"a": 1}, "a mapping"),
        ([1], "a list"),
        ((1,), "a list"),
        (7, "7"),
        (1.5, "1.5"),
        (2**200 - 1, str(2**200 - 1)),
        (2**200, "a number of more than 60 digits"),
        (Thing(), "a value of the type Thing"),
    ],
)
def test_value_is_shown_as_yaml_in_a_short_form(value: object, shown: str) -> None:
    assert yaml_repr(value) == shown


def said(error: PydanticCustomError) -> Any:
    return error.context


@pytest.mark.parametrize(
    ("value", "expected", "message", "fix"),
    [
        (
            True,
            "a string",
            "true is not a string.",
            'Put it in quotes: "true". YAML reads y, yes and on as true; n, no and off as false.',
        ),
        (2, "a string", "2 is not a string.", 'Put it in quotes: "2".'),
        (1.5, "a string", "1.5 is not a string.", 'Put it in quotes: "1.5".'),
        ("2", "an integer", '"2" is not an integer.', "Write an integer, without quotes."),
        ("no", "true or false", '"no" is not true or false.', "Write true or false, without quotes."),
        ({}, "a string", "A mapping is not a string.", "Write a string."),
        ((), "an integer", "A list is not an integer.", "Write an integer."),
        ("a", "a list", '"a" is not a list.', "Write a list."),
    ],
)
def test_value_of_another_type_has_a_fix_for_what_was_written(
    value: object, expected: str, message: str, fix: str
) -> None:
    assert said(wrong_type(value, expected)) == {"rule": "CTR-34", "message": message, "fix": fix}


def test_text_of_an_error_is_one_line() -> None:
    assert said(rule_error("A-1", "a\nb", "c\x1bd")) == {"rule": "A-1", "message": "a\\nb", "fix": "c\\x1bd"}


def test_several_errors_are_raised_at_their_paths() -> None:
    refused = [(("a", 0), rule_error("A-1", "b", "c")), ((), rule_error("A-2", "d", "e"))]
    with pytest.raises(ValidationError) as raised:
        raise_errors(refused)
    assert [(each["loc"], each["ctx"]["rule"]) for each in raised.value.errors()] == [(("a", 0), "A-1"), ((), "A-2")]
