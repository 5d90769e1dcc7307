"""The pages are written in plain English: no phrase that a native engineer would not use, one sentence on each line."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[3]


class Phrase(NamedTuple):
    """A phrase that is banned."""

    pattern: str
    """Regular expression that finds it."""

    better: str
    """What to write."""

    example: str
    """A sentence that has it."""


PHRASES = (
    Phrase(r"(?:cannot|can't|could not) be told", "is unknown", "Which version runs cannot be told."),
    Phrase(r"what users submit", "TrainJobs, runtimes", "What is wrong with what users submit."),
    Phrase(r"\bof others\b", "created by someone else", "Runtimes of others stay."),
    Phrase(r"\bfor ever\b", "forever, or what it waits for", "A pod waits for ever."),
    Phrase(r"\bwithout a word\b", "silently", "The CRD drops it without a word."),
    Phrase(r"(?<![Tt]here )\b(?:is|are|was|were) no (?!longer\b)", "is not a", "This is no name of a node."),
    Phrase(r"\bdear\b", "expensive", "GPUs are dear."),
    Phrase(r"\b[Mm]end(?:s|ed|ing)?\b", "fix", "Mend it and run it again."),
    Phrase(r"\bstands?\b(?!-)", "is, exists", "The key stands above it."),
    Phrase(r"\b[Nn]obody\b", "no one, or the program that does not", "Otherwise nobody would look."),
    Phrase(r"\b(?:is|are|was|were) (?:said|told)\b", "is reported, is set", "All mistakes are said together."),
    Phrase(r"\b(?:is|are) spoken of\b", "is mentioned", "Rights that nothing are spoken of."),
    Phrase(r"\bput right\b", "fixed", "A refresh makes it put right."),
    Phrase(r"\bby now\b", "now", "It belongs to another stack by now."),
    Phrase(r"\b[Oo]ne's own\b", "your own", "A program of one's own."),
    Phrase(r"\bnever says? a word\b", "is not reported", "It never says a word."),
    Phrase(r"\bin the way of\b", "blocks", "TrainJobs are in the way of a destroy."),
    Phrase(r"\bgives? up (?!after)", "deletes", "The settings give up the CRDs."),
    Phrase(r"\bmakes? anew\b|\bmade anew\b", "recreated", "Operators are made anew."),
    Phrase(r"\bgoes on with\b", "continues with", "It goes on with the new runtime."),
    Phrase(r"\btakes? (?:it|them|these|that) over\b", "adopts", "The next stack takes them over."),
    Phrase(r"\b[Ll]ikewise\b", "the same applies to", "Trainer likewise."),
)

CHECKED = (
    ("docs/**/*.md", PHRASES),
    ("*.md", PHRASES),
    ("examples/*.md", PHRASES),
    (".github/**/*.md", PHRASES),
    ("stacks/*.yaml", PHRASES),
    ("*.yaml", PHRASES),
    ("requirements/*.in", PHRASES),
    ("Makefile", PHRASES),
)
"""Files, as globs, each with the phrases that are banned there."""

GENERATED = {ROOT / "docs" / name for name in ("stack-file.md", "runtime-rules.md", "train-job-rules.md")}
"""Pages that are made from docstrings and rules, whose text is in the code."""

PAGES = sorted({path for glob in ("docs/**/*.md", "*.md", "examples/*.md") for path in ROOT.glob(glob)} - GENERATED)


def prose(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a page with their numbers, without code, and without the table that is made from code."""
    is_code = False
    for number, line in enumerate(text.partition("\n## Every change\n")[0].splitlines(), 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code:
            yield number, re.sub(r"`[^`]*`|\]\([^)]*\)", "``", line)


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda phrase: phrase.example)
def test_phrase_is_found(phrase: Phrase) -> None:
    assert [each for each in PHRASES if re.search(each.pattern, phrase.example)] == [phrase]


def test_phrases_are_found_in_prose_only() -> None:
    text = "It is `for ever`.\n```\nfor ever\n```\n[for](for%20ever.md)\n"
    assert [line for _, line in prose(text) if re.search(r"for.ever", line)] == []


@pytest.mark.parametrize(("glob", "phrases"), CHECKED, ids=[glob for glob, _ in CHECKED])
def test_no_file_has_a_banned_phrase(glob: str, phrases: tuple[Phrase, ...]) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {match[0]!r}, write {phrase.better!r}: {line.strip()}"
        for path in sorted({*ROOT.glob(glob)} - GENERATED)
        for number, line in prose(path.read_text())
        for phrase in phrases
        if (match := re.search(phrase.pattern, line))
    ]
    assert found == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_line_has_one_sentence_and_a_sentence_one_line(page: Path) -> None:
    found, previous = [], ""
    for number, line in prose(page.read_text()):
        text = re.sub(r"^\s*(?:- |\d+\. |#+ (?:\d+\. )?)", "", line)
        starts = line.lstrip()[:1] in ("", "#", "-", "|", "<") or re.match(r"\s*\d+\. ", line)
        ends = (
            not previous.strip() or previous.startswith(("|", "#")) or re.search(r"[.:!?)]\*{0,2}$", previous.rstrip())
        )
        if not line.startswith("|") and re.search(r"[a-z0-9`)*\]][.!?] +[A-Z`\[*]", text):
            found.append(f"{number}: several sentences: {line.strip()}")
        elif not (starts or ends):
            found.append(f"{number}: a sentence that goes on: {line.strip()}")
        previous = line
    assert found == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_lists_and_tables_begin_after_an_empty_line(page: Path) -> None:
    lines = dict(prose(page.read_text()))
    begins = re.compile(r"\s*(?:- |\d+\. |\|)")
    found = [
        f"{number}: {line}"
        for number, line in lines.items()
        if begins.match(line)
        and (before := lines.get(number - 1, "")).strip()
        and not begins.match(before)
        and not before.startswith(" ")
    ]
    assert found == []
