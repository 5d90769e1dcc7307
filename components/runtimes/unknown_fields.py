"""Fields that the API doesn't have, or has no more."""

from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

from pydantic_core import PydanticCustomError

from .locations import Location
from .refusal import refuse


class RemovedField(NamedTuple):
    """A field of an earlier version that people still write."""

    why: str
    fix: str


REMOVED_FIELDS: Mapping[Location, RemovedField] = {
    ("spec", "mlPolicy", "torch", "numProcPerNode"): RemovedField(
        "Trainer 2.2 removed it: torchrun starts one process a GPU.",
        "Take it out. The number of processes follows the GPUs of the container node (resources.limits), or the "
        "numProcPerNode of a TrainJob's trainer.",
    ),
    ("spec", "mlPolicy", "torch", "elasticPolicy"): RemovedField(
        "Trainer removed it before 2.3, where nothing scales by itself.",
        "Take it out and set spec.mlPolicy.numNodes.",
    ),
}
"""By where they stood in a runtime. Source: the CRD of Trainer v2.0.0 beside that of v2.3.0."""


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
    return refuse("CTR-36", f"The API has no field {name} here: it refuses it, or drops it without a word.", fix)


def removed_field(name: str, removed: RemovedField) -> PydanticCustomError:
    """The error for a field that the API has no more."""
    return refuse("CTR-36", f"The API has no field {name} any more. {removed.why}", removed.fix)


def removed_fields(manifest: Mapping[str, Any]) -> Iterator[Location]:
    """Where a manifest uses fields that the API has no more."""
    for loc in REMOVED_FIELDS:
        inner: Any = manifest
        for key in loc:
            inner = inner.get(key) if isinstance(inner, Mapping) else None
        if inner is not None:
            yield loc
