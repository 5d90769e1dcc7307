"""YAML read as Kubernetes reads it."""

from typing import Any

import pytest

from components.k8s.yaml_documents import YamlError, read_documents


def only(text: str) -> Any:
    (document,) = read_documents(text)
    return document.content


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((text, True) for text in ("y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE")),
        *((text, False) for text in ("n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE")),
        *((text, text) for text in ("yEs", "tRUE", "nO", "oN")),
        ("'y'", "y"),
        ('"1"', "1"),
        *((text, None) for text in ("", "~", "null", "Null", "NULL")),
        ("nUll", "nUll"),
        ("8", 8),
        ("-8", -8),
        ("+8", 8),
        ("1_000", 1000),
        ("0o17", 15),
        ("017", 15),
        ("0x1F", 31),
        ("0b11", 3),
        ("09", 9.0),
        ("1e3", 1000.0),
        ("1.5", 1.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("-1E-1", -0.1),
        ("12:30", "12:30"),
        ("2026-01-02", "2026-01-02"),
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"),
        ("1.2.3", "1.2.3"),
        ("500m", "500m"),
        ("!!str 1", "1"),
        ("=", "="),
    ],
)
def test_scalars_are_what_kubectl_makes_of_them(text: str, value: object) -> None:
    read = only(f"key: {text}\n")["key"]

    assert (read, type(read)) == (value, type(value))


def test_keys_are_strings() -> None:
    assert only("1: a\ntrue: b\nnull: c\n1.5: d\n") == {"1": "a", "true": "b", "null": "c", "1.5": "d"}


def test_anchors_and_merges_are_followed() -> None:
    assert only("a: &x {b: 1, c: 2}\nd: *x\ne: {<<: *x, c: 3}\n") == {
        "a": {"b": 1, "c": 2},
        "d": {"b": 1, "c": 2},
        "e": {"b": 1, "c": 3},
    }


def test_merged_keys_are_not_duplicates() -> None:
    (document,) = read_documents("a: &x {b: 1}\nc: {<<: *x, b: 2}\n")

    assert list(document.duplicate_keys()) == []
    assert document.line_of("c.b") == 2


def test_empty_documents_are_skipped() -> None:
    texts = [
        (document.line, document.content) for document in read_documents("---\n---\na: 1\n---\n# nothing\n---\nb: 2\n")
    ]

    assert texts == [(3, {"a": 1}), (7, {"b": 2})]


TEXT = """\
spec:
  labels:
    example.com: a
    example.com/b: c
    example: {com/b: d}
  containers:
    - name: first
      env:
        - {name: A,
           value: 1}
    -
      name: second
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("", 1),
        ("spec", 1),
        ("spec.labels", 2),
        ("spec.labels[example.com]", 3),
        ("spec.labels[example.com/b]", 4),
        ("spec.containers", 6),
        ("spec.containers[0]", 7),
        ("spec.containers[0].name", 7),
        ("spec.containers[0].env[0].value", 10),
        ("spec.containers[1].name", 12),
        ("spec.containers[1].image", 12),
        ("spec.containers[2].image", 6),
        ("spec.volumes[0]", 1),
        ("metadata", 1),
    ],
)
def test_line_of_a_path_is_that_of_the_nearest_existing_parent(path: str, line: int) -> None:
    (document,) = read_documents(TEXT)

    assert document.line_of(path) == line


def test_kubectl_list_yields_its_items() -> None:
    (document,) = read_documents("kind: List\nitems:\n- kind: A\n  b: 1\n- kind: B\n")

    assert [(item.content, item.line, item.line_of("b")) for item in document.items()] == [
        ({"kind": "A", "b": 1}, 3, 4),
        ({"kind": "B"}, 5, 5),
    ]


def test_duplicate_keys_are_found() -> None:
    (document,) = read_documents("a: 1\nb: {c: 1, d: 2,\n  c: 3}\na: 2\ne: [{f: 1}, {f: 2}]\n")

    assert sorted(document.duplicate_keys()) == [(3, "c"), (4, "a")]


ENDLESS = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n" for before, name in ("ab", "bc", "cd", "de", "ef")
)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a: b\nc: [1\n", 2, "Invalid YAML: a bracket that begins here is not closed."),
        ("a: 1\n\tb: 2\n", 2, "Invalid YAML: a tab indents `b`."),
        ("a: {{ .Values.image }}\n", 1, "Invalid YAML: while constructing a mapping found unhashable key."),
        ("a: *b\n", 1, "The alias *b has no anchor &b above it."),
        ("a: !Ref b\n", 1, "The tag !Ref is not supported."),
        ("a: 1\nb: \0\n", 2, "Invalid text: special characters are not allowed."),
        (
            "a: &x [*x]\n",
            1,
            "There are more than 100,000 values (a value behind an alias counts each time it is used).",
        ),
        (ENDLESS, 1, "There are more than 100,000 values (a value behind an alias counts each time it is used)."),
        ("[" * 5000, 1, "Mappings and lists are nested more than 100 levels deep."),
    ],
)
def test_invalid_yaml_is_reported_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(YamlError) as caught:
        list(read_documents(text))

    assert (caught.value.line, str(caught.value)[: len(message)]) == (line, message)
    assert caught.value.fix.endswith(".")


def test_documents_before_the_broken_one_are_read() -> None:
    documents = read_documents("a: 1\n---\nb: [\n")

    assert next(documents).content == {"a": 1}
    with pytest.raises(YamlError):
        next(documents)
