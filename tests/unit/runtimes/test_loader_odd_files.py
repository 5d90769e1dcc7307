"""Files as editors, clusters and templates leave them."""

import io
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.runtimes import load_runtimes
from components.runtimes.loader import STDIN, read_files
from components.validation.report import FileViolation

from .files import GOOD, OTHER, check, write


def named(name: str, namespace: str = "") -> str:
    """A runtime of that name; with a namespace one of its own."""
    text = GOOD.replace("name: torch\n", f"name: {name}\n" + (f"  namespace: {namespace}\n" if namespace else ""), 1)
    return text.replace("ClusterTrainingRuntime", "TrainingRuntime") if namespace else text


def found(*paths: Path) -> list[tuple[str, int, str]]:
    """The violations about files: rule, line and severity."""
    return [(each.rule, each.line, each.severity.value) for each in read_files(paths).violations]


@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte order mark"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
def test_other_encodings_and_line_ends_are_read(before: bytes, end: bytes, tmp_path: Path) -> None:
    good, bad = (text.encode().replace(b"\n", end) for text in (GOOD, GOOD.replace("numNodes", "nodes")))
    (tmp_path / "good.yaml").write_bytes(before + good)
    (tmp_path / "bad.yaml").write_bytes(before + bad)

    assert [each.to_manifest() for each in load_runtimes(tmp_path / "good.yaml")] == [yaml.safe_load(GOOD)]
    assert found(tmp_path / "bad.yaml") == [("CTR-36", 9, "error")]


def test_violation_in_an_alias_has_the_line_of_the_anchor(tmp_path: Path) -> None:
    twice = GOOD.replace("        - name: node\n", "        - &node\n          name: node\n", 1)
    write(tmp_path, a=f"{twice}        - <<: *node\n          name: other\n")

    assert found(tmp_path) == [("SIL-16", 27, "error")]


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n---\n# nothing\n", "null\n", "kind: List\nitems: []\n"])
def test_empty_files_have_no_runtimes(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, a=text)

    assert check(tmp_path) == 0
    assert capsys.readouterr().out == "0 errors, 0 warnings; 0 valid runtimes.\n"


def listed(kind: str, *left_out: str) -> dict[str, Any]:
    item = {key: value for key, value in yaml.safe_load(GOOD).items() if key not in left_out}
    return {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": kind, "metadata": {}, "items": [item]}


@pytest.mark.parametrize("content", [listed("ClusterTrainingRuntimeList", "apiVersion", "kind"), listed("List")])
def test_lists_of_the_api_server_are_read(content: dict[str, Any], tmp_path: Path) -> None:
    write(tmp_path, a=yaml.safe_dump(content))

    assert [each.to_manifest() for each in load_runtimes(tmp_path)] == [yaml.safe_load(GOOD)]


def test_lists_of_other_kinds_are_skipped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, a=yaml.safe_dump(listed("ConfigMapList", "apiVersion", "kind") | {"apiVersion": "v1"}))

    assert check(tmp_path) == 0
    assert "ConfigMap is not a training runtime" in capsys.readouterr().out


def test_document_that_looks_like_a_runtime_is_not_skipped(tmp_path: Path) -> None:
    """Passing over what lacks apiVersion and kind would call it good."""
    bare = GOOD.replace("apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\n", "")
    write(tmp_path, a=bare, b=OTHER, values="nodes: 4\nspec: {image: a}\n")

    assert found(tmp_path) == [("CTR-35", 1, "error")] * 2


def test_duplicate_runtime_is_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Across files too; which one a cluster has in the end depends on who is applied last."""
    write(tmp_path, a=f"{named('a')}---\n{named('b')}", b=named("a"))

    assert found(tmp_path) == [("YAML-03", 4, "warning")]
    assert check(tmp_path) == 0
    told = f"{tmp_path}/b.yaml:4: warning [YAML-03] metadata.name: ClusterTrainingRuntime a "
    told += f"is also defined at {tmp_path}/a.yaml:1"
    assert told in capsys.readouterr().out


def test_same_name_in_two_namespaces_or_kinds_is_not_a_duplicate(tmp_path: Path) -> None:
    write(tmp_path, a=named("a"), b=named("a", "one"), c=named("a", "two"))

    assert found(tmp_path) == []


def test_runtime_with_a_duplicate_key_is_invalid(tmp_path: Path) -> None:
    write(tmp_path, a=GOOD.replace("    numNodes: 1\n", "    numNodes: 1\n    numNodes: 2\n"))

    report = read_files([tmp_path])

    assert [(each.rule, each.line) for each in report.violations] == [("YAML-02", 10)]
    assert report.runtimes == []


def test_standard_input_can_be_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    bad = GOOD.replace("numNodes", "nodes").encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(bad)))

    (violation,) = read_files([STDIN]).violations

    assert isinstance(violation, FileViolation)
    assert (violation.file, violation.line, violation.rule) == ("-", 9, "CTR-36")
