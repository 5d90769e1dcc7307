"""Ids of things in EC2, where people write names."""

import re
from collections.abc import Iterator, Sequence

import pulumi

from ...validation.finding import Finding
from ...validation.paths import FieldPath


def check_ids(prefix: str, loc: FieldPath, ids: Sequence[str | pulumi.Output[str]]) -> Iterator[Finding]:
    """What of a list is no id that begins with `prefix`, or is there twice; and a list that has none. Outputs of other
    resources are what they are."""
    if not ids:
        yield Finding("AWS-01", loc, "the list is empty.", f"Write one id at least, `{prefix}-...`.")
    known = [each if isinstance(each, str) else None for each in ids]
    for index, each in enumerate(known):
        if each is None:
            continue
        if not re.fullmatch(rf"{prefix}-[0-9a-z]+", each):
            message = f"{each} is no id, and AWS takes no names here."
            yield Finding("AWS-01", (*loc, index), message, f"Write the id, `{prefix}-` and what follows.")
        if each in known[:index]:
            yield Finding("AWS-01", (*loc, index), f"{each} is in the list twice.", "Take it out once.")


def is_placement_group_id(group: str | pulumi.Output[str]) -> bool:
    """Whether a placement group is told by its id: `pg-...`. An output is a name."""
    return isinstance(group, str) and re.fullmatch("pg-[0-9a-z]{17}", group) is not None
