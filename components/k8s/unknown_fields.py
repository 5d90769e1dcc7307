"""Fields that the API does not have, or has removed."""

from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from typing import NamedTuple

from pydantic_core import PydanticCustomError

from ..validation.errors import rule_error
from ..validation.paths import FieldPath


class RemovedField(NamedTuple):
    """A removed field that is still found in manifests."""

    why: str
    """Follows "The API has no field x" in the message."""

    fix: str
    """What to do about it."""


REMOVED_FIELDS: Mapping[FieldPath, RemovedField] = {
    ("spec", "mlPolicy", "torch", "numProcPerNode"): RemovedField(
        "any more: Trainer 2.2 removed it. torchrun starts one process per GPU.",
        "Remove it. To change the number of processes, set the GPUs of container node (resources.limits), or "
        "trainer.numProcPerNode of the TrainJob.",
    ),
    ("spec", "mlPolicy", "torch", "elasticPolicy"): RemovedField(
        "any more: Trainer 2.3 does not support elastic training.",
        "Remove it and set spec.mlPolicy.numNodes.",
    ),
}
"""Removed fields by their path in a runtime. Source: the CRDs of Trainer v2.0.0 and v2.3.0."""

_TIMESTAMP = ("metadata", "creationTimestamp")
_TIMESTAMP_FIELD = RemovedField("here. Programs written in Go add it to all metadata.", "Remove it.")


def unknown_field(name: str, known: Collection[str], elsewhere: str | None = None) -> PydanticCustomError:
    """The error for an unknown field. It suggests the most similar of the `known` names, or the path `elsewhere` at
    which the API has that field."""
    folded = {key.lower(): key for key in known}
    nearest = get_close_matches(name.replace("_", "").lower(), folded, n=1, cutoff=0.6 if elsewhere is None else 0.8)
    if nearest:
        fix = f"Did you mean {folded[nearest[0]]}?"
    elif elsewhere is not None:
        fix = f"Move it to {elsewhere}."
    else:
        fix = f"Remove it. Known fields: {', '.join(sorted(known)) or 'none'}."
    return rule_error("CTR-36", f"The API has no field {name} here: it rejects the field or drops it silently.", fix)


def find_removed_field(loc: FieldPath) -> RemovedField | None:
    """The removed field at `loc`, or None."""
    return REMOVED_FIELDS.get(loc) or (_TIMESTAMP_FIELD if loc[-2:] == _TIMESTAMP else None)


def removed_field(name: str, removed: RemovedField) -> PydanticCustomError:
    """The error for a removed field."""
    return rule_error("CTR-36", f"The API has no field {name} {removed.why}", removed.fix)


def removed_fields(manifest: object, loc: FieldPath = ()) -> Iterator[tuple[FieldPath, RemovedField]]:
    """The removed fields in a manifest, with their paths."""
    if removed := find_removed_field(loc):
        yield loc, removed
    elif isinstance(manifest, Mapping):
        for key, value in manifest.items():
            yield from removed_fields(value, (*loc, key))
    elif isinstance(manifest, list | tuple):
        for index, value in enumerate(manifest):
            yield from removed_fields(value, (*loc, index))
