"""Paths of fields in manifests and settings."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

FieldPath = tuple[int | str, ...]
"""Keys and indexes, the outermost first."""

# Fields whose keys are data.
FREE_FORM_MAPS = {
    "allocatedResources",
    "allocatedResourceStatuses",
    "annotations",
    "labels",
    "limits",
    "matchLabels",
    "nodeSelector",
    "options",
    "overhead",
    "requests",
    "tags",
    "userAnnotations",
    "volumeAttributes",
}


def format_path(loc: FieldPath) -> str:
    """A path as users write it: `spec.containers[0].resources.limits[nvidia.com/gpu]`."""
    path = ""
    # Pydantic marks what is wrong with a key, not with its value.
    parts = tuple(part for part in loc if part != "[key]")
    for index, part in enumerate(parts):
        path += f"[{part}]" if isinstance(part, int) or _keys_are_data(parts[:index]) else f".{part}" if path else part
    return path


def split_path(path: str) -> FieldPath:
    """The location that `format_path` wrote."""
    parts = re.findall(r"\[(.*?)\](?=[.\[]|$)|([^.\[]+)", path, re.DOTALL)
    return tuple(int(inside) if inside.isdecimal() else inside or key for inside, key in parts)


def _keys_are_data(loc: FieldPath) -> bool:
    # The capacity of a claim is a mapping of amounts, that of a node pool is a kind of its own.
    return bool(loc) and (loc[-1] in FREE_FORM_MAPS or loc[-2:] == ("status", "capacity"))


def null_values(manifest: object, loc: FieldPath = ()) -> Iterator[FieldPath]:
    """The paths of keys without a value in mappings with free-form keys, such as labels."""
    if isinstance(manifest, Mapping):
        for key, value in manifest.items():
            if value is None and _keys_are_data(loc):
                yield (*loc, key)
            yield from null_values(value, (*loc, key))
    elif isinstance(manifest, list | tuple):
        for index, value in enumerate(manifest):
            yield from null_values(value, (*loc, index))


def remove_paths(manifest: Any, locs: Collection[FieldPath]) -> Any:
    """A copy of a manifest without the values at these paths."""
    here = {loc[0] for loc in locs if len(loc) == 1}
    below = {loc[0]: [other[1:] for other in locs if len(other) > 1 and other[0] == loc[0]] for loc in locs}
    if isinstance(manifest, Mapping):
        return {key: remove_paths(value, below.get(key, ())) for key, value in manifest.items() if key not in here}
    if isinstance(manifest, list | tuple):
        return [remove_paths(value, below.get(index, ())) for index, value in enumerate(manifest)]
    return manifest
