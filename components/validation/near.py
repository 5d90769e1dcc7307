"""What was probably meant by a misspelled word."""

from collections.abc import Iterable
from difflib import get_close_matches

MIN_PREFIX = 3
"""Characters of a word that stands for the only known word that begins with it, as `gpus` for `gpusPerNode`."""


def nearest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known word that is most like `word`, letter case aside. None if none is alike enough."""
    folded = {each.lower(): each for each in known}
    if found := get_close_matches(word.lower(), folded, n=1, cutoff=cutoff):
        return folded[found[0]]
    begun = [each for each in folded if each.startswith(word.lower()) and len(word) >= MIN_PREFIX]
    return folded[begun[0]] if len(begun) == 1 else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`Did you mean SIL-36?`, or nothing."""
    found = nearest(word, known)
    return f"Did you mean {found}?" if found else ""
