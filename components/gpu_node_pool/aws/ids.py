"""Ids of things in EC2, where people write names."""

import re
from collections.abc import Iterator, Sequence

import pulumi

from ...validation.violation import Violation


def check_ids(prefix: str, path: str, ids: Sequence[str | pulumi.Output[str]]) -> Iterator[Violation]:
    """What of a list is no id that begins with `prefix`, or is there twice; and a list that has none. Outputs of other
    resources are what they are."""
    if not ids:
        yield Violation("AWS-01", path, "the list is empty.", f"Write one id at least, `{prefix}-...`.")
    known = [each if isinstance(each, str) else None for each in ids]
    for index, each in enumerate(known):
        if each is None:
            continue
        if not re.fullmatch(rf"{prefix}-[0-9a-z]+", each):
            message = f"{each} is no id, and AWS takes no names here."
            yield Violation("AWS-01", f"{path}[{index}]", message, f"Write the id, `{prefix}-` and what follows.")
        if each in known[:index]:
            yield Violation("AWS-01", f"{path}[{index}]", f"{each} is in the list twice.", "Take it out once.")


def is_placement_group_id(group: str | pulumi.Output[str]) -> bool:
    """Whether a placement group is told by its id: `pg-...`. An output is a name."""
    return isinstance(group, str) and re.fullmatch("pg-[0-9a-z]{17}", group) is not None
