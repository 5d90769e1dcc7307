"""How much a manifest may be: more is not looked at."""

from collections.abc import Mapping

MAX_NODES = 100_000
"""Values in one manifest, each as often as aliases repeat it."""

MAX_DEPTH = 100
"""Mappings and lists inside each other. A JobSet with an affinity has about 25."""

TOO_DEEP = f"More than {MAX_DEPTH} mappings and lists are nested."
TOO_MANY = f"There are more than {MAX_NODES:,} values, aliases counted as often as they are used."


def excess(manifest: object) -> str | None:
    """What is too much about a manifest: one that contains itself is nested too deeply."""
    left, count = [(manifest, 1)], 0
    while left:
        here, depth = left.pop()
        inner = here.values() if isinstance(here, Mapping) else here if isinstance(here, list | tuple) else ()
        count += 1
        if depth > MAX_DEPTH and inner:
            return TOO_DEEP
        if count + len(left) > MAX_NODES:
            return TOO_MANY
        left += ((each, depth + 1) for each in inner)
    return None
