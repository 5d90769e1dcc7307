"""Checks ids of EC2 resources, where users tend to write names."""

import re
from collections.abc import Iterator, Sequence

import pulumi

from ...validation.violation import Violation


def check_ids(prefix: str, path: str, ids: Sequence[str | pulumi.Output[str]]) -> Iterator[Violation]:
    """Yield the items of a list that are not ids with this `prefix`, duplicates, and an empty list. Outputs of other
    resources are not checked."""
    if not ids:
        yield Violation("AWS-01", path, "The list is empty.", f"Add at least one id, `{prefix}-...`.")
    known = [each if isinstance(each, str) else None for each in ids]
    for index, each in enumerate(known):
        if each is None:
            continue
        if not re.fullmatch(rf"{prefix}-[0-9a-z]+", each):
            message = f"{each} is not an id, and AWS accepts no names here."
            yield Violation("AWS-01", f"{path}[{index}]", message, f"Use the id, `{prefix}-...`.")
        if each in known[:index]:
            yield Violation("AWS-01", f"{path}[{index}]", f"{each} is a duplicate.", "Remove the duplicate.")


def is_placement_group_id(group: str | pulumi.Output[str]) -> bool:
    """Whether a placement group is given by its id, `pg-...`. An output is taken as a name."""
    return isinstance(group, str) and re.fullmatch("pg-[0-9a-z]{17}", group) is not None
