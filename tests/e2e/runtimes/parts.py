"""What parts of manifests are drawn from: names, texts, amounts, and a few of many fields."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

Part = dict[str, Any]

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8)
NAME = st.from_regex(r"[a-z][a-z0-9]{0,7}", fullmatch=True)
PATH = st.from_regex(r"/[a-z]{1,3}(/[a-z]{1,3})?", fullmatch=True)
KEY = st.from_regex(r"(example\.com/)?[A-Za-z][A-Za-z0-9_.-]{0,6}[A-Za-z0-9]", fullmatch=True)
LABELS = st.dictionaries(
    KEY, st.from_regex(r"([A-Za-z0-9]([A-Za-z0-9_.-]{0,6}[A-Za-z0-9])?)?", fullmatch=True), max_size=2
)
ANNOTATIONS = st.dictionaries(KEY, TEXT, max_size=2)
IDS = st.integers(0, 2**31 - 1)
SECONDS = st.integers(1, 2**31 - 1)
BYTES = st.from_regex(r"[1-9][0-9]{0,2}(\.[05])?(Ki|Mi|Gi|k|M|G|e3)", fullmatch=True) | st.integers(1, 2**40)


@st.composite
def few(draw: DrawFn, fields: Mapping[str, SearchStrategy[Any]], most: int = 3) -> Part:
    """None to a few of these fields."""
    chosen = draw(st.lists(st.sampled_from(sorted(fields)), unique=True, max_size=most))
    return {name: draw(fields[name]) for name in chosen}


def one(fields: Mapping[str, SearchStrategy[Any]]) -> SearchStrategy[Part]:
    """Exactly one of these fields."""
    return st.one_of([st.fixed_dictionaries({name: value}) for name, value in fields.items()])


def both(
    required: Mapping[str, SearchStrategy[Any]], optional: Mapping[str, SearchStrategy[Any]]
) -> SearchStrategy[Part]:
    """All of some fields and a few of the others."""
    return st.tuples(st.fixed_dictionaries(dict(required)), few(optional)).map(lambda parts: parts[0] | parts[1])


def named(parts: SearchStrategy[Part], most: int = 2) -> SearchStrategy[list[Part]]:
    """A list of parts with a name each."""
    return st.dictionaries(NAME, parts, max_size=most).map(
        lambda by: [{"name": name, **part} for name, part in by.items()]
    )
