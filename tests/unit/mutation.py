"""Seeded mutations of YAML texts and of plain data: what hands, merges and broken tools leave behind."""

import random
from collections.abc import Callable
from typing import Any

SECRETS = ("hf_abcdefghijklmnopqrstuvwxyzABCDEFGH", "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "Sup3rS3cretPassw0rd")
"""Values that no message may show."""

SCALARS = (
    *("", "null", "~", "true", "no", "0", "-1", "8", "1.5", "1e3", "1e999", "0x" + "f" * 300, "9" * 5000, "9999-99-99"),
    *("!!int x", "!!float x", "!!timestamp x", "!!binary x", "!!str 1", "!Ref a", "!!python/object:os.system a", "*a"),
    *('"\\ud800"', '"\\0"', '"\\e[2J"', "\u202e", "[]", "{}", "[[[]]]", "{a: {b: {c: 1}}}", "[1, a, {b: c}]", "{1: 2}"),
    *("'{{ .Values.a }}'", "a: b", "- a", "&a x", "<<", "a" * 300, "x\u00a0y", "../../etc/passwd", "/dev/zero", "-"),
    *("a{99999999999}", "(" * 2000, "(?=a)", "16Gi", "16GB", "oci://a/../b", "evil@latest", '"a\\n::error::b"'),
    *(f"https://user:{SECRETS[2]}@host", *SECRETS[:2]),
)

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 8, 1.5, float("inf"), float("nan"), 10**5000, "", "a", "a" * 300, b"bytes", object()),
    *("\ud800", "\0", "\x1b[2J", "a\n::error::b", [], {}, [[[]]], {"a": {"b": 1}}, {1: 2}, {None: 1}, (1, 2), {1}),
    *("a{99999999999}", "(" * 2000, "16Gi", "evil@latest", *SECRETS[:2], {SECRETS[0]: 1}),
)


def mutated_text(text: str, source: random.Random) -> str:
    """The text with one to four changes of lines, scalars, indentation or characters."""
    for _ in range(source.randint(1, 4)):
        text = source.choice(_CHANGES)(text, source)
    return text


def mutated(data: Any, source: random.Random) -> Any:
    """A copy of plain data with one to four values or keys replaced, removed, added or moved."""
    for _ in range(source.randint(1, 4)):
        data = _changed(data, source)
    return data


def _changed(data: Any, source: random.Random) -> Any:
    if source.random() < 0.15 or not isinstance(data, dict | list) or not data:
        return source.choice(VALUES)
    if isinstance(data, list):
        index = source.randrange(len(data))
        changed = _changed(data[index], source)
        return [*data[:index], changed, *data[index + (source.random() < 0.9) :]]
    key = source.choice([*data])
    rest = {other: value for other, value in data.items() if other != key}
    match source.randrange(8):
        case 0:
            return rest
        case 1:
            return {**rest, source.choice((str(key)[1:], f"{key}s", str(key).upper(), "a\nb", 5, None)): data[key]}
        case 2:
            return {**data, source.choice(("extra", "1", "name")): source.choice(VALUES)}
        case _:
            return {**data, key: _changed(data[key], source)}


def _scalar(text: str, source: random.Random) -> str:
    lines = text.split("\n")
    index = source.randrange(len(lines))
    key, colon, _ = lines[index].partition(": ")
    lines[index] = f"{key}{colon or ': '}{source.choice(SCALARS)}"
    return "\n".join(lines)


def _line(text: str, source: random.Random) -> str:
    lines = text.split("\n")
    index, other = source.randrange(len(lines)), source.randrange(len(lines))
    match source.randrange(5):
        case 0:
            del lines[index]
        case 1:
            lines.insert(other, lines[index])
        case 2:
            lines[index], lines[other] = lines[other], lines[index]
        case 3:
            lines.insert(index, source.choice(("---", "- a", "a: 1", "\ta: 1", "...", "%YAML 9", "? a", "<<: *a")))
        case _:
            del lines[index:]
    return "\n".join(lines)


def _indentation(text: str, source: random.Random) -> str:
    lines = text.split("\n")
    index = source.randrange(len(lines))
    lines[index] = (
        source.choice(("  ", " ", "\t", "    ")) + lines[index] if source.random() < 0.5 else lines[index].strip()
    )
    return "\n".join(lines)


def _character(text: str, source: random.Random) -> str:
    index = source.randrange(len(text) + 1)
    character = source.choice("\0\x1b\r\t\u202e\u2028\ufeff\u00a0{}[]:,&*!|>'\"%@`#-?\\aZ0")
    return text[:index] + character + text[index + (source.random() < 0.5) :]


def _key(text: str, source: random.Random) -> str:
    lines = text.split("\n")
    index = source.randrange(len(lines))
    key, colon, value = lines[index].partition(":")
    indentation = key[: len(key) - len(key.lstrip())]
    lines[index] = indentation + source.choice((key.strip()[1:], '"a\\nb"', "1", SECRETS[0], "<<", "")) + colon + value
    return "\n".join(lines)


_CHANGES: tuple[Callable[[str, random.Random], str], ...] = (_scalar, _scalar, _line, _indentation, _character, _key)
