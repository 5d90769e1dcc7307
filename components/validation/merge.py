"""Merges mappings, key by key."""

from collections.abc import Mapping
from functools import reduce
from typing import Any


def from_dotted_path(key: str, value: Any) -> dict[str, Any]:
    """A mapping that has `value` at a dotted path."""
    return reduce(lambda inner, part: {part: inner}, reversed(key.split(".")), value)


def deep_merge(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two mappings recursively. Values of `above` take precedence."""
    return {
        **below,
        **{
            key: deep_merge(below[key], value)
            if isinstance(value, Mapping) and isinstance(below.get(key), Mapping)
            else value
            for key, value in above.items()
        },
    }
