"""What environments have in common: `inherits: base` puts a stack's file on top of `stacks/base.yaml`."""

from collections.abc import Mapping
from typing import Any


def merge_patch(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Both, key by key down to the last mapping; where both say something else, `own` counts.

    Lists are replaced as a whole. A null of `own` takes away what `base` has there.
    """
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
