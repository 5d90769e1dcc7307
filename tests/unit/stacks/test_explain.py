"""`python -m stacks explain`."""

import json
import sys
from pathlib import Path

import pytest

from stacks.__main__ import main

TRAIN_JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: tj}
spec:
  runtimeRef: {name: mine}
  trainer: {numNodes: 3}
"""


@pytest.fixture
def stacks(project: Path) -> Path:
    folder = project / "stacks"
    (project / "Pulumi.yaml").write_text("name: training-platform\n")
    (folder / "Pulumi.dev.yaml").write_text(
        "config:\n  training-platform:cluster: {context: far-away}\n"
        "  training-platform:gpuNodePools:\n    gpu: {provider: simulated, gpusPerNode: 8, nodes: 2}\n"
        '  training-platform:trainer: {version: "2.2.0"}\n  training-platform:jobset: {version: "0.11.1"}\n'
        "  training-platform:runtimes:\n    mine: {framework: torch, nodePool: gpu}\n"
    )
    (folder / "Pulumi.other.yaml").write_text(
        "config:\n  training-platform:cluster: {context: far-away}\n"
        '  training-platform:trainer: {version: "2.1.0"}\n  training-platform:jobset: {version: "0.10.1"}\n'
        "  training-platform:runtimes:\n    mine: {framework: torch}\n"
    )
    return folder


def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["stacks", "explain", *words])
    code = main()
    return code, *capsys.readouterr()


@pytest.mark.usefixtures("stacks")
def test_a_runtime_is_explained_as_the_stack_deploys_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, _ = run(capsys, monkeypatch, "dev", "mine", "-o", "json")
    data = json.loads(out)
    assert code == 0
    assert (data["trainer"], data["runtime"]) == ("2.2.0", "ClusterTrainingRuntime mine")
    assert data["nodes"] == {"needed": 1, "available": 2, "fits": True}


def test_a_train_job_is_explained_on_the_stack_s_pool(
    stacks: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (stacks / "job.yaml").write_text(TRAIN_JOB)
    words = ("dev", "mine", "--train-job", str(stacks / "job.yaml"), "--trainer", "2.3.0")
    code, out, _ = run(capsys, monkeypatch, *words)
    assert code == 1
    assert "Trainer 2.3.0, JobSet 0.12.0" in out
    assert "  3 at the same time; the pool can have 2, so the training never starts" in out.splitlines()


@pytest.mark.usefixtures("stacks")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("dev none", "The stack has no runtime none. It has mine.\n"),
        ("dev min", "The stack has no runtime min. Did you mean mine?\n"),
        ("dev mine --train-job none.yaml", "No such file or directory"),
        ("other mine", "Trainer 2.1.0 cannot be explained. Use 2.0.0, 2.2.0, 2.3.0.\n"),
    ],
)
def test_what_cannot_be_explained_exits_with_2(
    words: str, message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, err = run(capsys, monkeypatch, *words.split())
    assert (code, out) == (2, "")
    assert message in err


def test_the_runtime_is_the_one_that_the_train_job_refers_to(
    stacks: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (stacks / "job.yaml").write_text(TRAIN_JOB.replace("numNodes: 3", "numNodes: 2"))
    code, out, err = run(capsys, monkeypatch, "dev", "--train-job", str(stacks / "job.yaml"))
    assert (code, err) == (0, "")
    assert "TrainJob default/tj with ClusterTrainingRuntime mine" in out
    assert "The API server gave no verdict: the kubeconfig does not lead to a cluster" in out.splitlines()[-1]
    code, out, err = run(capsys, monkeypatch, "dev", "--train-job", str(stacks / "job.yaml"), "-o", "json")
    assert json.loads(out)
    assert "The API server gave no verdict" in err
    code, out, err = run(capsys, monkeypatch, "dev", "--train-job", str(stacks / "job.yaml"), "--offline")
    assert "gave no verdict" not in out + err


@pytest.mark.usefixtures("stacks")
def test_without_a_runtime_and_a_train_job_nothing_is_explained(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(capsys, monkeypatch, "dev") == (2, "", "Name a runtime of the stack, or a file with --train-job.\n")
