"""Limits on the size and text of a manifest. Anything larger is rejected without being read further."""

from collections.abc import Mapping

MAX_NODES = 100_000
"""Maximum number of values in one manifest. A value behind an alias counts each time it is used."""

MAX_DEPTH = 100
"""Maximum nesting of mappings and lists. A JobSet with an affinity has about 25 levels."""

TOO_DEEP = f"Mappings and lists are nested more than {MAX_DEPTH} levels deep."
TOO_MANY = f"There are more than {MAX_NODES:,} values (a value behind an alias counts each time it is used)."
NO_TEXT = "The text contains a lone surrogate, which is not a character."


def is_text(text: str) -> bool:
    """Whether a string can be encoded: a lone surrogate cannot be written in UTF-8, so neither in JSON nor in YAML."""
    return text.isascii() or not any("\ud800" <= each <= "\udfff" for each in text)


def excess(manifest: object) -> str | None:
    """Why a manifest exceeds the limits, or None. A manifest that contains itself is nested too deeply."""
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
