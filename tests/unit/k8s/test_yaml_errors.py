"""Syntax errors of YAML in plain words, at the line where the mistake is."""

import pytest

from components.k8s.yaml_documents import YamlError, read_documents

CASES = [
    ("a:\n  b: 1\n c: 2\n", 3, "the indentation of `c` is not that of any key above it."),
    ("a:\n  b: 1\n- c\n", 3, "this line is an item of a list, among keys of a mapping."),
    ("a:\n  - b\n  c: 1\n", 3, "`c` is a key of a mapping, among items of a list."),
    ('a: "b" c\n', 1, "text follows the closing quote of a value in `a`."),
    ("a: b: c\n", 1, "a second `:` is in `a`, or its indentation is not that of the keys above it."),
    ("a: b\n  c: d\n", 2, "a second `:` is in `c`, or its indentation is not that of the keys above it."),
    ("a: 1\nb\nc: 2\n", 2, "a key here has no `:`."),
    ("a:\n\tb: 1\n", 2, "a tab indents `b`."),
    ("a: @x\n", 1, "a value in `a` begins with a character that has a meaning in YAML."),
    ("a: 1\nb: 'x\nc: 1\n", 2, "a quote that begins here is not closed."),
    ("a: 1\nb: {\n  c: 1\n", 2, "a bracket that begins here is not closed."),
    ("a: }\n", 1, "while parsing a block node expected the node content, but found '}'."),
]


def error_of(text: str) -> YamlError:
    with pytest.raises(YamlError) as caught:
        [*read_documents(text)]
    return caught.value


@pytest.mark.parametrize(("text", "line", "message"), CASES)
def test_a_syntax_error_names_the_key_and_the_mistake(text: str, line: int, message: str) -> None:
    error = error_of(text)
    assert (error.line, str(error)) == (line, f"Invalid YAML: {message}")
    assert error.fix.endswith(".")


def test_a_syntax_error_shows_no_value() -> None:
    assert "hunter2" not in str(error_of('password: "hunter2" x\n'))


@pytest.mark.parametrize(
    ("text", "line"),
    [("a: 1\nb:\u00a02\n", 2), ("\u00a0a: 2\n", 1), ("a: \u200bx\n", 1), ("a:\n- b\u3000\n", 2), ("a: x\u202f\n", 1)],
)
def test_an_invisible_character_in_place_of_a_space_is_an_error(text: str, line: int) -> None:
    error = error_of(text)
    assert error.line == line
    assert str(error).endswith(", which looks like a space and is text to YAML.")


@pytest.mark.parametrize("text", ["a: 10\u00a0km\n", "a: '\u00a0x'\n", "a: |\n  \u00a0x\n", "a: é\n"])
def test_an_invisible_character_inside_of_text_is_text(text: str) -> None:
    assert [*read_documents(text)]
