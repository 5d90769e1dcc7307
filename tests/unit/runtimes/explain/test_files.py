"""The command, and the files that it reads."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.runtimes.__main__ import main
from components.runtimes.catalog import deepspeed, torch

RUNTIME = deepspeed().to_manifest()


def train_job(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": "tj"},
        "spec": {"runtimeRef": {"name": "deepspeed-distributed"}, **spec},
    }


def write(folder: Path, name: str, *documents: Any) -> str:
    file = folder / name
    file.write_text(yaml.safe_dump_all(documents))
    return str(file)


def test_a_pair_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = write(tmp_path, "r.yaml", torch().to_manifest(), RUNTIME), write(tmp_path, "t.yaml", train_job())
    assert main(["explain", *files, "-o", "json", "--trainer", "2.2.0"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["trainer"], data["runtime"]) == ("2.2.0", "ClusterTrainingRuntime deepspeed-distributed")


def test_a_runtime_alone_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", write(tmp_path, "r.yaml", RUNTIME)]) == 0
    title = "TrainJob default/train with ClusterTrainingRuntime deepspeed-distributed"
    assert capsys.readouterr().out.splitlines()[0] == title


def test_both_may_be_in_one_file(tmp_path: Path) -> None:
    file = write(tmp_path, "both.yaml", RUNTIME, train_job())
    assert main(["explain", file, file, "-o", "mermaid"]) == 0


def test_a_pool_that_is_too_small_exits_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = write(tmp_path, "r.yaml", RUNTIME), write(tmp_path, "t.yaml", train_job(trainer={"numNodes": 4}))
    assert main(["explain", *files, "--nodes", "3", "--gpus-per-node", "8"]) == 1
    assert "the training never starts" in capsys.readouterr().out
    assert main(["explain", *files, "--nodes", "4", "--gpus-per-node", "8"]) == 0


def test_errors_have_their_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "t.yaml"
    file.write_text(yaml.safe_dump(train_job(), sort_keys=False) + "  trainer:\n    numNode: 4\n")
    assert main(["explain", write(tmp_path, "r.yaml", RUNTIME), str(file)]) == 1
    printed = capsys.readouterr().err
    assert f"{file}:9: error [CTR-36] spec.trainer.numNode" in printed
    assert "Did you mean numNodes?" in printed


def test_a_file_that_is_not_yaml_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.yaml").write_text("a: [")
    assert main(["explain", write(tmp_path, "r.yaml", RUNTIME), str(tmp_path / "t.yaml")]) == 1
    assert "[YAML-01]" in capsys.readouterr().err
    (tmp_path / "t.yaml").write_bytes(b"\xff")
    assert main(["explain", write(tmp_path, "r.yaml", RUNTIME), str(tmp_path / "t.yaml")]) == 1
    assert "not UTF-8 text" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("runtimes", "jobs", "message"),
    [
        ([], None, "r.yaml: The file has no training runtime. Name the file of a runtime."),
        ([RUNTIME, torch().to_manifest()], None, "The file has 2 runtimes. Name a TrainJob that refers to one."),
        ([RUNTIME], [], "t.yaml: The file has no TrainJob. Name a file with one."),
        ([RUNTIME], [train_job(), train_job()], "t.yaml: The file has 2 TrainJobs. Name a file with one."),
        (
            [RUNTIME],
            [train_job(runtimeRef={"name": "deepspeed"})],
            "There is no runtime deepspeed, which the TrainJob refers to.",
        ),
    ],
)
def test_what_cannot_be_explained_exits_with_2(
    runtimes: list[Any], jobs: list[Any] | None, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [write(tmp_path, "r.yaml", *runtimes), *([write(tmp_path, "t.yaml", *jobs)] if jobs is not None else [])]
    assert main(["explain", *files]) == 2
    assert message in capsys.readouterr().err


def test_nodes_are_those_of_a_pool_with_gpus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", write(tmp_path, "r.yaml", RUNTIME), "--nodes", "3"]) == 2
    assert "--nodes: add --gpus-per-node." in capsys.readouterr().err


def test_a_file_that_is_not_there_exits_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(tmp_path / "none.yaml")]) == 2
    assert "none.yaml: No such file or directory" in capsys.readouterr().err


@pytest.mark.parametrize("number", ["0", "-1", "x"])
def test_a_number_of_nodes_is_1_or_more(number: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["explain", write(tmp_path, "r.yaml", RUNTIME), f"--nodes={number}"])
    assert f"{number} is not a number of 1 or more" in capsys.readouterr().err
