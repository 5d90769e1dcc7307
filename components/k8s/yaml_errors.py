"""Errors of YAML's syntax in plain words. PyYAML names tokens of its parser."""

import re
from typing import NamedTuple

import yaml


class SyntaxProblem(NamedTuple):
    """What is wrong with a text, and what to do about it."""

    line: int
    """Where, from 1."""

    message: str
    fix: str


def explain_syntax(error: yaml.MarkedYAMLError, text: str) -> SyntaxProblem:
    """What a parser's error is about."""
    problem, lines = str(error.problem or ""), text.splitlines()
    mark, start = error.problem_mark or error.context_mark, error.context_mark or error.problem_mark
    for each in filter(None, (start, mark)):
        if each.line < len(lines) and (found := invisible_character(lines[each.line].strip(" "))):
            return SyntaxProblem(each.line + 1, f"There is {found}, which {MISLEADS}.", "Replace it with a space.")
    for known in _PROBLEMS:
        if re.search(known.pattern, problem):
            at = start if known.is_about_start else mark
            line = at.line if at else 0
            what = _key(lines[line]) if line < len(lines) else "the last line"
            return SyntaxProblem(line + 1, f"Invalid YAML: {known.message.format(what=what)}.", known.fix)
    words = " ".join(filter(None, (error.context, error.problem)))
    return SyntaxProblem(mark.line + 1 if mark else 1, f"Invalid YAML: {words}.", FIX)


def _key(line: str) -> str:
    """The key of a line. Its value is not shown: it may be a secret."""
    found = re.match(r"[\s-]*([\w./:-]+?):(\s|$)", line)
    return f"`{found[1]}`" if found else "this line"


FIX = "Correct the YAML."


class _Problem(NamedTuple):
    pattern: str
    """In PyYAML's words."""

    message: str
    fix: str
    is_about_start: bool = False
    """Whether the line to show is where the part begins, not where the parser stopped."""


_PROBLEMS = (
    _Problem(
        r"but found '<block mapping start>'",
        "the indentation of {what} is not that of any key above it",
        "Indent it like the keys that it belongs to.",
    ),
    _Problem(
        r"but found '(-|<block sequence start>)'",
        "{what} is an item of a list, among keys of a mapping",
        "Write a key instead of the `-`, or indent the items more than the key that has the list.",
    ),
    _Problem(
        r"but found '\?'",
        "{what} is a key of a mapping, among items of a list",
        "Indent it like the keys of the item above, or begin a new item with `-`.",
    ),
    _Problem(
        r"but found '<scalar>'", "text follows the closing quote of a value in {what}", "Put the whole value in quotes."
    ),
    _Problem(
        r"mapping values are not allowed",
        "a second `:` is in {what}, or its indentation is not that of the keys above it",
        "Put a value that contains `: ` in quotes, or indent the key like the others.",
    ),
    _Problem(r"could not find expected ':'", "a key here has no `:`", "Write `key: value`.", True),
    _Problem(r"found character '\\t'", "a tab indents {what}", "Replace the tab with spaces."),
    _Problem(
        r"found character .* that cannot start any token",
        "a value in {what} begins with a character that has a meaning in YAML",
        "Put the value in quotes.",
    ),
    _Problem(r"found unexpected end of stream", "a quote that begins here is not closed", "Close the quote.", True),
    _Problem(r"but got '<stream end>'", "a bracket that begins here is not closed", "Close it with `}` or `]`.", True),
    _Problem(r"but found '<stream end>'", "the text ends inside of a bracket", "Close it with `}` or `]`."),
)


INVISIBLE = {
    "\u00a0": "a no-break space (U+00A0)",
    "\u200b": "a zero-width space (U+200B)",
    "\u3000": "an ideographic space (U+3000)",
    "\ufeff": "a byte order mark (U+FEFF)",
    "\u2007": "a figure space (U+2007)",
    "\u202f": "a narrow no-break space (U+202F)",
}
"""Characters that look like a space or like nothing, and are text to YAML."""

_MISLEADING = re.compile(rf"^[{''.join(INVISIBLE)}]|[{''.join(INVISIBLE)}]$|:[{''.join(INVISIBLE)}]")


MISLEADS = "looks like a space and is text to YAML"


def invisible_character(plain: str) -> str | None:
    """The name of an invisible character in a scalar without quotes where a space seems to be: at either end, or behind
    a colon."""
    found = _MISLEADING.search(plain)
    return INVISIBLE[found[0].strip(":")] if found else None
