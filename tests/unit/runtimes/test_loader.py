"""Runtimes in files: `load_runtimes`, and the command line."""

from pathlib import Path

import pytest
import yaml

from components.runtimes import ClusterTrainingRuntime, InvalidRuntimeError, load_runtimes
from components.runtimes.loader import load_report
from components.validation.report import FileViolation

from .files import GOOD, OTHER, check, write

BAD = GOOD.replace("numNodes: 1", 'numNodes: "1"').replace("image:", "imgae:")
OLD = GOOD.replace("torch: {}", "torch: {numProcPerNode: auto}")


def test_a_file_of_many_documents_is_loaded(tmp_path: Path) -> None:
    texts = [GOOD.replace("name: torch", "name: a"), OTHER, "", GOOD.replace("name: torch", "name: b")]
    write(tmp_path, runtimes="---\n".join(texts))

    loaded = load_runtimes(tmp_path / "runtimes.yaml")

    assert [runtime.to_manifest() for runtime in loaded] == [yaml.safe_load(texts[0]), yaml.safe_load(texts[3])]


def test_a_folder_is_loaded_in_order(tmp_path: Path) -> None:
    (tmp_path / "team").mkdir()
    write(tmp_path, b=GOOD.replace("name: torch", "name: b"), a=GOOD.replace("name: torch", "name: a"))
    (tmp_path / "team/c.yml").write_text(GOOD.replace("name: torch", "name: c"))
    (tmp_path / "notes.txt").write_text("{{")

    assert [runtime.metadata.name for runtime in load_runtimes(str(tmp_path))] == ["a", "b", "c"]


def test_both_kinds_and_lists_are_loaded(tmp_path: Path) -> None:
    good = yaml.safe_load(GOOD)
    namespaced = good | {"kind": "TrainingRuntime", "metadata": good["metadata"] | {"namespace": "team"}}
    write(
        tmp_path,
        listed=yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": [namespaced, good]}),
    )

    assert [runtime.kind for runtime in load_runtimes(tmp_path)] == ["TrainingRuntime", "ClusterTrainingRuntime"]


def test_violations_have_file_and_line(tmp_path: Path) -> None:
    write(tmp_path, a=GOOD.replace("name: torch", "name: a"), b=f"{OTHER}---\n{BAD.replace('name: torch', 'name: b')}")

    with pytest.raises(InvalidRuntimeError) as caught:
        load_runtimes(tmp_path)

    errors = [each for each in caught.value.violations if isinstance(each, FileViolation)]
    container = "spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers[0]"
    assert [(each.file, each.line, each.subject, each.rule, each.path) for each in errors] == [
        (str(tmp_path / "b.yaml"), 13, "b", "CTR-34", "spec.mlPolicy.numNodes"),
        (str(tmp_path / "b.yaml"), 28, "b", "CTR-36", f"{container}.imgae"),
    ]
    assert f'{tmp_path / "b.yaml"}:13: error [CTR-34] spec.mlPolicy.numNodes: "1" is not an integer.' in str(
        caught.value
    )


def test_adopt_drops_removed_fields(tmp_path: Path) -> None:
    write(tmp_path, old=OLD)

    with pytest.raises(InvalidRuntimeError, match="CTR-36"):
        load_runtimes(tmp_path)
    (adopted,) = load_runtimes(tmp_path, adopt=True)
    assert adopted.to_manifest() == yaml.safe_load(GOOD)


def test_misspelled_kind_of_the_api_group_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, a=GOOD.replace("kind: ClusterTrainingRuntime", "kind: ClusterTrainingRunTime"))

    with pytest.raises(InvalidRuntimeError, match="Use 'ClusterTrainingRuntime'"):
        load_runtimes(tmp_path)


def test_train_jobs_are_not_runtimes(tmp_path: Path) -> None:
    write(tmp_path, a=GOOD.replace("kind: ClusterTrainingRuntime", "kind: TrainJob"))

    assert load_runtimes(tmp_path) == ()
    (found,) = load_report(tmp_path).train_jobs
    assert (found.file, found.name, found.document.line) == (f"{tmp_path}/a.yaml", "torch", 1)


def test_missing_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_runtimes(tmp_path / "none.yaml")


def test_violations_are_in_the_order_of_the_file(tmp_path: Path) -> None:
    write(tmp_path, a=BAD.replace("spec:\n  mlPolicy:", "spec:\n  numNodes: 2\n  mlPolicy:"))

    with pytest.raises(InvalidRuntimeError) as caught:
        load_runtimes(tmp_path)

    lines = [each.line for each in caught.value.violations if isinstance(each, FileViolation)]
    assert lines == [8, 10, 25]


@pytest.mark.parametrize(
    ("text", "violation"),
    [
        ("a: [\n", "2: error [YAML-01] Invalid YAML: "),
        (
            GOOD.replace("name: torch", "name: a").replace("image:", "name: node\n                      image:"),
            "24: error [YAML-02] name: ",
        ),
    ],
)
def test_invalid_yaml_is_a_violation(
    text: str, violation: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, a=text)

    assert check(tmp_path) == 1
    assert any(line.startswith(f"{tmp_path}/a.yaml:{violation}") for line in capsys.readouterr().out.splitlines())


def test_helm_template_is_skipped_by_the_linter_and_an_error_in_programs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, a="a: {{ .Values.image }}\n")

    assert check("--strict", tmp_path) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{tmp_path}/a.yaml:1: skipped: not valid YAML, but a template. "
        "Templates cannot be checked: render them first.",
        "0 errors, 0 warnings; 0 valid runtimes.",
    ]
    with pytest.raises(InvalidRuntimeError, match="Templates cannot be checked"):
        load_runtimes(tmp_path)


def test_file_in_a_chart_is_skipped_even_if_it_is_valid_yaml(tmp_path: Path) -> None:
    """Helm renders what is below `templates`; the same file elsewhere is checked."""
    template = GOOD.replace("name: torch", 'name: "{{ .Values.name }}"')
    below = tmp_path / "chart" / "templates" / "team"
    below.mkdir(parents=True)
    write(below, a=template)

    assert check(below) == 1
    (tmp_path / "chart" / "Chart.yaml").write_text("name: chart\n")
    assert check(below) == 0
    write(below, b=BAD)
    assert check(below) == 1


def test_binary_file_is_a_violation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.yaml").write_bytes(b"a: \xff\n")

    assert check(tmp_path) == 1
    assert "1: error [YAML-01] The file is not UTF-8 text: invalid start byte at byte 3." in capsys.readouterr().out


def test_runtime_is_valid_only_if_it_can_be_built(tmp_path: Path) -> None:
    write(tmp_path, a=GOOD)
    (runtime,) = load_runtimes(tmp_path)

    assert ClusterTrainingRuntime(metadata=runtime.metadata, spec=runtime.spec) == runtime
