"""Text of other people on its way to a terminal, a CI log or an exception: escaped, and cut to a length."""

import re

from .secret_detection import without_tokens

MAX_LENGTH = 4_000
"""Characters of one text that are printed. The rest is cut, and the cut is visible."""

_CI_COMMAND = re.compile(r"##(?=vso\[|\[)|(?<=\n)(\s*):(?=:)")
"""How a log line commands a CI system: `##vso[...]` and `##[...]` anywhere in it, `::error ...::` at its start."""


def printable(text: object, max_length: int = MAX_LENGTH) -> str:
    """One line of visible characters.

    Control characters, ESC, line ends, BiDi marks, invisible characters and lone surrogates are escaped as in a Python
    string, so that the text cannot move the cursor, start a line of its own or command a CI system. Tokens are hidden.
    """
    line = _cut(str(text), max_length)
    if not line.isprintable():
        line = "".join(map(_escaped, line))
    return _without_commands(line)


def printable_lines(text: object, max_length: int = MAX_LENGTH) -> str:
    """The same for a message of several lines: line ends stay, and no line can command a CI system."""
    lines = _cut(str(text), max_length)
    if not lines.isprintable():
        lines = "".join(each if each == "\n" else _escaped(each) for each in lines)
    return _without_commands(lines)


def _escaped(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")


def _cut(text: str, max_length: int) -> str:
    text = without_tokens(text)
    return text if len(text) <= max_length else f"{text[:max_length]}... ({len(text) - max_length} more characters)"


def _without_commands(text: str) -> str:
    """The text with an escape in the middle of each command."""
    if text.lstrip().startswith("::"):
        text = text.replace(":", r"\x3a", 1)
    if "##" not in text and "::" not in text:
        return text
    return _CI_COMMAND.sub(lambda found: "#\\x23" if found[0] == "##" else rf"{found[1]}\x3a", text)
