"""What people read in the code is plain English: messages, help texts, docstrings and the names of tests."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[3]
SOURCES = sorted(file for room in ("components", "stacks", "tools", "bench") for file in (PROJECT / room).rglob("*.py"))
TESTS = sorted((PROJECT / "tests").rglob("test_*.py"))

BANNED = (
    "cannot be told",
    "what users submit",
    "of others",
    "for ever",
    "without a word",
    "dear",
    "mend",
    "nobody",
    "whoever deploys",
    "take it out",
    "take them out",
    "known here",
    "goes on from here",
    "is made anew",
    "is there twice",
    "is in the list twice",
    "stands here",
)
"""Phrases of a dialect that messages used to have. Kubernetes' and Pulumi's verbs say the same."""

DIALECT = re.compile(rf"\b(?:{'|'.join(BANNED)}|(?<!there )(?:is|are) no(?! (?:longer|more)))\b", re.IGNORECASE)
DIALECT_IN_NAMES = re.compile(
    r"(?:^|_)(?:(?<!there_)(?:is|are)_no_(?!longer)|for_ever|nobody|mends?_|without_a_word|told|its_neighbour)(?=_|$|(?<=_))"
)


def texts(file: Path) -> Iterator[tuple[int, str]]:
    """All string literals of a file, docstrings included, with their lines."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, " ".join(node.value.split())


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: str(file.relative_to(PROJECT)))
def test_texts_of_the_code_have_no_dialect(file: Path) -> None:
    found = [f"{line}: {match[0]!r} in {text!r}" for line, text in texts(file) if (match := DIALECT.search(text))]
    assert found == []


@pytest.mark.parametrize("file", TESTS, ids=lambda file: str(file.relative_to(PROJECT)))
def test_names_of_tests_have_no_dialect(file: Path) -> None:
    functions = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.FunctionDef)]
    names = [node.name.removeprefix("test_") for node in functions if node.name.startswith("test_")]
    assert [name for name in names if DIALECT_IN_NAMES.search(name)] == []


@pytest.mark.parametrize("text", ["This is no quantity.", "Nobody knows.", "It waits for ever.", "GPUs are dear."])
def test_dialect_is_found(text: str) -> None:
    assert DIALECT.search(text)


@pytest.mark.parametrize("text", ["It is no longer used.", "There is no network.", "Recommended.", "It is nowhere."])
def test_plain_english_is_not_found(text: str) -> None:
    assert not DIALECT.search(text)
