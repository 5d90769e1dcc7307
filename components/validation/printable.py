"""Makes text from other sources safe to print to terminals, CI logs and exceptions: escaped and limited in length."""

import re

from .secret_detection import without_tokens

MAX_LENGTH = 4_000
"""Maximum number of characters of a text that is printed. Longer text is cut visibly."""

_CI_COMMAND = re.compile(r"##(?=vso\[|\[)|(?<=\n)(\s*):(?=:)")
"""CI commands in a log line: `##vso[...]` and `##[...]` anywhere, `::error ...::` at its start."""


def printable(text: object, max_length: int = MAX_LENGTH) -> str:
    """The text as one line of visible characters.

    Control characters, ESC, line ends, BiDi marks, invisible characters and lone surrogates are escaped as in a Python
    string, so that the text cannot move the cursor, start a new line or command a CI system. Tokens are hidden.
    """
    line = _cut(str(text), max_length)
    if not line.isprintable():
        line = "".join(map(_escaped, line))
    return _without_commands(line)


def printable_lines(text: object, max_length: int = MAX_LENGTH) -> str:
    """Like `printable`, but keeps line ends. No line can command a CI system."""
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
    """The text with an escape in the middle of each CI command."""
    if text.lstrip().startswith("::"):
        text = text.replace(":", r"\x3a", 1)
    if "##" not in text and "::" not in text:
        return text
    return _CI_COMMAND.sub(lambda found: "#\\x23" if found[0] == "##" else rf"{found[1]}\x3a", text)
