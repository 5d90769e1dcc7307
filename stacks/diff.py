"""Compares two stacks, including inherited sections and defaults."""

from collections.abc import Iterator, Mapping
from typing import Any

from components.validation.errors import yaml_repr
from components.validation.paths import FieldPath, format_path
from components.validation.printable import printable

from .settings.model import StackConfig

ABSENT = "-"


def diff(one: StackConfig, other: StackConfig) -> Iterator[tuple[str, str, str]]:
    """Yields each key whose values differ, with both values, section by section. `-` stands for a missing value."""
    left, right = _flat(_resolved(one)), _flat(_resolved(other))
    sections = [field.alias or name for name, field in StackConfig.model_fields.items()]
    for loc in sorted({*left, *right}, key=lambda loc: (sections.index(str(loc[0])), format_path(loc))):
        if loc not in left or loc not in right or left[loc] != right[loc]:
            here, there = (yaml_repr(side[loc]) if loc in side else ABSENT for side in (left, right))
            yield printable(format_path(loc)), printable(here), printable(there)


def _resolved(sections: StackConfig) -> dict[str, Any]:
    return sections.model_dump(mode="json", by_alias=True, exclude={"inherits"}, exclude_none=True)


def _flat(value: Any, loc: FieldPath = ()) -> dict[FieldPath, Any]:
    """The scalar values by path. Empty mappings and lists are left out."""
    if isinstance(value, Mapping):
        return {end: found for key, inner in value.items() for end, found in _flat(inner, (*loc, key)).items()}
    if isinstance(value, list):
        return {end: found for index, item in enumerate(value) for end, found in _flat(item, (*loc, index)).items()}
    return {loc: value}


def table(rows: list[tuple[str, str, str]]) -> str:
    """Formats the rows as aligned columns."""
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
