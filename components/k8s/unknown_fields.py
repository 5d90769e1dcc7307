"""Fields that the API doesn't have, or has no more."""

from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from typing import NamedTuple

from pydantic_core import PydanticCustomError

from ..validation.errors import rule_error
from ..validation.paths import FieldPath


class RemovedField(NamedTuple):
    """A field that people still write, though the API has it no more."""

    why: str
    """Goes on after "the API has no such field"."""

    fix: str
    """What to do about it."""


REMOVED_FIELDS: Mapping[FieldPath, RemovedField] = {
    ("spec", "mlPolicy", "torch", "numProcPerNode"): RemovedField(
        "any more. Trainer 2.2 removed it: torchrun starts one process a GPU.",
        "Take it out. The number of processes follows the GPUs of the container node (resources.limits), or the "
        "numProcPerNode of a TrainJob's trainer.",
    ),
    ("spec", "mlPolicy", "torch", "elasticPolicy"): RemovedField(
        "any more. Trainer removed it before 2.3, where nothing scales by itself.",
        "Take it out and set spec.mlPolicy.numNodes.",
    ),
}
"""By where they stood in a runtime. Source: the CRD of Trainer v2.0.0 beside that of v2.3.0."""

_TIMESTAMP = ("metadata", "creationTimestamp")
_TIMESTAMP_FIELD = RemovedField("here. Programs in Go write it into every metadata.", "Take it out.")


def unknown_field(name: str, known: Collection[str], elsewhere: str | None = None) -> PydanticCustomError:
    """The error for a field that isn't among the known ones, with the nearest that is, or where the API has it."""
    folded = {key.lower(): key for key in known}
    nearest = get_close_matches(name.replace("_", "").lower(), folded, n=1, cutoff=0.6 if elsewhere is None else 0.8)
    if nearest:
        fix = f"Did you mean {folded[nearest[0]]}?"
    elif elsewhere is not None:
        fix = f"Its place is {elsewhere}."
    else:
        fix = f"Take it out. Known here: {', '.join(sorted(known)) or 'nothing'}."
    return rule_error("CTR-36", f"The API has no field {name} here: it refuses it, or drops it without a word.", fix)


def find_removed_field(loc: FieldPath) -> RemovedField | None:
    """The field at a location, if it is one that nothing came of, and that people still write."""
    return REMOVED_FIELDS.get(loc) or (_TIMESTAMP_FIELD if loc[-2:] == _TIMESTAMP else None)


def removed_field(name: str, removed: RemovedField) -> PydanticCustomError:
    """The error for a field that people still write."""
    return rule_error("CTR-36", f"The API has no field {name} {removed.why}", removed.fix)


def removed_fields(manifest: object, loc: FieldPath = ()) -> Iterator[tuple[FieldPath, RemovedField]]:
    """Such fields in a manifest, and where."""
    if removed := find_removed_field(loc):
        yield loc, removed
    elif isinstance(manifest, Mapping):
        for key, value in manifest.items():
            yield from removed_fields(value, (*loc, key))
    elif isinstance(manifest, list | tuple):
        for index, value in enumerate(manifest):
            yield from removed_fields(value, (*loc, index))
