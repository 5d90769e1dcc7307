"""How much a manifest, a file and a YAML text may be, and what is said of more."""

import os
from pathlib import Path
from typing import Any

import pytest

from components.k8s import yaml_documents as documents_module
from components.k8s.bounds import MAX_DEPTH, MAX_NODES, excess
from components.k8s.yaml_documents import YamlError, read_documents
from components.runtimes import ClusterTrainingRuntime, InvalidRuntimeError, load_runtimes
from components.runtimes.__main__ import main

SELF: dict[str, Any] = {}
SELF["self"] = SELF


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth - 1):
        value = [value]
    return value


def test_a_manifest_has_a_depth_and_a_number_of_values() -> None:
    assert excess(nested(MAX_DEPTH + 1)) is None
    assert excess(nested(MAX_DEPTH + 2)) == "Mappings and lists are nested more than 100 levels deep."
    assert excess([0] * (MAX_NODES - 1)) is None
    too_many = "There are more than 100,000 values (a value behind an alias counts each time it is used)."
    assert excess([0] * MAX_NODES) == too_many
    assert excess(SELF) == "Mappings and lists are nested more than 100 levels deep."
    for text in ({"a": "\ud800"}, {"\ud800": "a"}, ["\udfff"]):
        assert excess(text) == "The text contains a lone surrogate, which is not a character."


@pytest.mark.parametrize(
    "spec", [SELF, {"template": nested(5000)}, {"template": {"\ud800": 1}}, {"mlPolicy": {"numNodes": 10**5000}}]
)
def test_from_manifest_refuses_it_without_a_traceback(spec: Any) -> None:
    manifest = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "ClusterTrainingRuntime"}
    with pytest.raises(InvalidRuntimeError) as refused:
        ClusterTrainingRuntime.from_manifest({**manifest, "metadata": {"name": 10**5000}, "spec": spec})
    assert str(refused.value).startswith("ClusterTrainingRuntime is invalid:\n")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a: 1\nb: !!int x\n", 2, '"x" is not a valid integer.'),
        ("a: !!float x\n", 1, '"x" is not a valid number.'),
        ("a: !!binary '*'\n", 1, '"*" is not a valid text in base64.'),
        ("a: !!timestamp x\n", 1, "The tag !!timestamp is not supported."),
        ("a: !!timestamp 9999-99-99\n", 1, "The tag !!timestamp is not supported."),
        ("a: !!python/object:os.system x\n", 1, "The tag !!python/object:os.system is not supported."),
        ("a: !vault x\n", 1, "The tag !vault is not supported."),
        (f"a: {'9' * 5000}\n", 1, "This number has 5,000 characters, more than 100."),
        (f"a: 0x{'f' * 5000}\n", 1, "This number has 5,002 characters, more than 100."),
        ("a: 1e999\n", 1, '"1e999" is not a finite number: JSON and the API server have no other.'),
        ("a: !!float .nan\n", 1, '".nan" is not a finite number: JSON and the API server have no other.'),
        ('a: 1\nb: "\\ud800"\n', 2, "The text contains a lone surrogate, which is not a character."),
        ("a: \ud800\n", 1, "The text contains a lone surrogate, which is not a character."),
        (
            f"a: &a {'x' * 200_000}\nb: [{', '.join(['*a'] * 100)}]\n",
            1,
            "The document has more than 16,000,000 charact",
        ),
        (f"a: {'[' * 101}{']' * 101}\n", 1, "Mappings and lists are nested more than 100 levels deep."),
        ("a: 1\nb: *c\n", 2, "The alias *c has no anchor &c above it."),
        ("a: &c 1\n---\nb: *c\n", 3, "The alias *c has no anchor &c above it."),
    ],
)
def test_yaml_is_bounded_and_the_message_has_the_limit(text: str, line: int, message: str) -> None:
    with pytest.raises(YamlError) as caught:
        [*read_documents(text)]
    # libyaml itself stops at a surrogate, without its line
    assert str(caught.value)[: len(message)] == message or "unicode" in str(caught.value).lower()
    assert caught.value.line == line


def test_base64_is_text() -> None:
    (document,) = read_documents("a: !!binary aGVsbG8=\n")
    assert document.content == {"a": "hello"}


def test_a_text_has_a_number_of_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents_module, "MAX_TEXT_NODES", 5)
    assert [each.content for each in read_documents("a: 1\n---\nb\n---\nc\n")] == [{"a": 1}, "b", "c"]
    with pytest.raises(YamlError, match="The file has more than 5 values and keys"):
        [*read_documents("a: 1\n---\nb\n---\n[c]\n")]


def test_a_large_broken_text_is_not_read_by_the_slow_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents_module, "_Loader", None)
    with pytest.raises(YamlError, match="Invalid YAML") as caught:
        [*read_documents("- a\n" * 60_000 + "\t: [\n")]
    assert caught.value.line == 60_001


def test_a_manifest_that_blocks_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "a.yaml")
    with pytest.raises(OSError, match="Not a regular file"):
        load_runtimes(tmp_path / "a.yaml")
    assert main(["check", str(tmp_path / "a.yaml")]) == 2
    assert capsys.readouterr().err.endswith("a.yaml: Not a regular file\n")


def test_only_the_linter_reads_the_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(FileNotFoundError):
        load_runtimes("-")
