"""How much a manifest may be, and of what text: more is not looked at."""

from collections.abc import Mapping

MAX_NODES = 100_000
"""Values in one manifest, each as often as aliases repeat it."""

MAX_DEPTH = 100
"""Mappings and lists inside each other. A JobSet with an affinity has about 25."""

TOO_DEEP = f"More than {MAX_DEPTH} mappings and lists are nested."
TOO_MANY = f"There are more than {MAX_NODES:,} values, aliases counted as often as they are used."
NO_TEXT = "The text has half of a surrogate pair, which is not a character."


def is_text(text: str) -> bool:
    """Whether a string is text: half of a surrogate pair cannot be written in UTF-8, so neither to JSON nor to YAML."""
    return text.isascii() or not any("\ud800" <= each <= "\udfff" for each in text)


def excess(manifest: object) -> str | None:
    """Why a manifest is not looked at. One that contains itself is nested too deeply."""
    left, count = [(manifest, 1)], 0
    while left:
        here, depth = left.pop()
        inner = here.values() if isinstance(here, Mapping) else here if isinstance(here, list | tuple) else ()
        count += 1
        texts = [here, *here] if isinstance(here, Mapping) else [here]
        if not all(is_text(text) for text in texts if isinstance(text, str)):
            return NO_TEXT
        if depth > MAX_DEPTH and inner:
            return TOO_DEEP
        if count + len(left) > MAX_NODES:
            return TOO_MANY
        left += ((each, depth + 1) for each in inner)
    return None
