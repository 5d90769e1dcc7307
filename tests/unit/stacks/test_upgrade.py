"""`python -m stacks upgrade`: what an upgrade changes for the operators and runtimes of a stack."""

import pytest

from .command import run


@pytest.mark.usefixtures("stacks")
def test_upgrade_is_reported_per_operator_and_runtime(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, printed, complained = run(capsys, monkeypatch, "upgrade", "old", "--to", "2.3.0")
    assert (code, complained) == (0, "")
    sections = printed.split("\n\n")
    assert sections[0] == "JobSet 0.11.1 to 0.12.0, Trainer 2.2.0 to 2.3.0"
    titles = [section.splitlines()[0] for section in sections]
    assert titles[1:] == [
        "JobSet",
        "Trainer",
        "Runtime mpi (mpi)",
        "Runtime plain (xgboost)",
        "TrainJobs in the cluster",
    ]
    assert sections[3].splitlines()[1:5] == [
        "  2.3, operation: suspended TrainJobs of MPI",
        "      They never resume: Trainer adds a file mode to the volume of the SSH keys, and the JobSet that it "
        "created before is immutable. The controller repeats the error, while the TrainJob's status shows it as "
        "resumed.",
        "      Fix: Wait for these TrainJobs to finish, or delete them and submit them again after the upgrade.",
        "      Source: kubeflow/trainer#3649 (v2.3.0), pkg/runtime/framework/plugins/mpi/mpi.go@v2.3.0; run here",
    ]
    assert sections[4].splitlines()[1:] == ["  Nothing of its own changes."]
    assert sections[5].splitlines()[1:] == [
        "  They were not looked at: the stack file names no context of a kubeconfig."
    ]


@pytest.mark.usefixtures("stacks")
def test_upgrade_that_skips_a_step_is_an_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, printed, _ = run(capsys, monkeypatch, "upgrade", "old", "--to", "2.4.0")
    assert code == 1
    assert "Trainer cannot be upgraded from 2.2.0 to 2.4.0 directly: 2.3 must not be skipped." in printed
    assert run(capsys, monkeypatch, "upgrade", "old", "--to", "2.2.0") == (
        0,
        "Nothing changes: no operator of this stack is older than Trainer 2.2.0 asks for.\n",
        "",
    )
