"""Mappings that are merged key by key."""

from typing import Any

import pytest

from components.validation.merge import deep_merge, from_dotted_path


@pytest.mark.parametrize(("key", "nested"), [("a", {"a": 1}), ("a.b.c", {"a": {"b": {"c": 1}}})])
def test_a_dotted_path_is_a_nested_mapping(key: str, nested: dict[str, Any]) -> None:
    assert from_dotted_path(key, 1) == nested


@pytest.mark.parametrize(
    ("below", "above", "merged"),
    [
        ({"a": 1, "b": 2}, {"b": 3, "c": 4}, {"a": 1, "b": 3, "c": 4}),
        ({"a": {"b": {"c": 1}}}, {"a": {"b": {"d": 2}}}, {"a": {"b": {"c": 1, "d": 2}}}),
        ({"a": {"b": 1}}, {"a": None}, {"a": None}),
        ({"a": 1}, {"a": {"b": 1}}, {"a": {"b": 1}}),
        ({"a": {"b": 1}}, {"a": {}}, {"a": {"b": 1}}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
    ],
)
def test_values_above_take_precedence(below: Any, above: Any, merged: Any) -> None:
    assert deep_merge(below, above) == merged


def test_merged_mappings_are_not_modified() -> None:
    below: dict[str, Any] = {"a": {"b": 1}}
    merged = deep_merge(below, {"a": {"c": 2}})
    merged["a"]["d"] = 3
    assert below == {"a": {"b": 1}}
