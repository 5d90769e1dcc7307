"""What was probably meant by a misspelled word."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known word that is most like `word`, letter case aside. None if none is alike enough."""
    folded = {each.lower(): each for each in known}
    found = get_close_matches(word.lower(), folded, n=1, cutoff=cutoff)
    return folded[found[0]] if found else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`Did you mean SIL-36?`, or nothing."""
    found = nearest(word, known)
    return f"Did you mean {found}?" if found else ""
