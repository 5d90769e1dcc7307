"""Inheritance of stack files: `inherits: base` merges a stack file onto `stacks/base.yaml`."""

from collections.abc import Mapping
from typing import Any


def merge_patch(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Merges two mappings recursively, as in RFC 7396: values of `own` take precedence, lists are replaced as a whole,
    and null deletes a key of `base`."""
    merged = dict(base)
    for key, value in own.items():
        inherited = base.get(key)
        if isinstance(value, Mapping) and isinstance(inherited, Mapping):
            merged[key] = merge_patch(inherited, value)
        elif value is None and key in base:
            del merged[key]
        else:
            merged[key] = value
    return merged
