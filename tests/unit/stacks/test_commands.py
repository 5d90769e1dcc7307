"""`python -m stacks`: about stack files, without an engine and a cluster."""

import sys
from pathlib import Path

import pytest

from stacks.__main__ import main

HEAD = "config:\n  training-platform:inherits: shared\n  training-platform:cluster: {context: far-away}\n"


@pytest.fixture
def stacks(project: Path) -> Path:
    folder = project / "stacks"
    (project / "Pulumi.yaml").write_text("name: training-platform\n")
    (folder / "shared.yaml").write_text("jobset: {replicas: 1}\nruntimes:\n  mine: {framework: torch, image: a:1}\n")
    (folder / "Pulumi.dev.yaml").write_text(HEAD)
    (folder / "Pulumi.prod.yaml").write_text(
        HEAD + "  training-platform:jobset: {replicas: 2, values: {a: {b: [1, 2]}}}\n"
        "  training-platform:images: {mirrors: {registry.k8s.io: m.example.com}}\n"
    )
    (folder / "Pulumi.folder.yaml").write_text(
        "config:\n  training-platform:cluster: {context: far-away}\n"
        "  training-platform:jobset: {chart: charts/jobset, version: 0.8.2}\n"
    )
    (folder / "Pulumi.old.yaml").write_text(
        "config:\n  training-platform:cluster: {stack: acme/clusters/prod}\n"
        '  training-platform:jobset: {version: "0.11.1"}\n  training-platform:trainer: {version: "2.2.0"}\n'
        "  training-platform:runtimes:\n    mpi: {framework: deepspeed}\n    plain: {framework: xgboost}\n"
    )
    (folder / "Pulumi.wrong.yaml").write_text(HEAD + "  training-platform:jobset: {replica: 2}\n")
    (folder / "Pulumi.secret.yaml").write_text(HEAD + "  training-platform:trainer: {secure: hunter2}\n")
    return folder


def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["stacks", *words])
    code = main()
    return code, *capsys.readouterr()


@pytest.mark.usefixtures("stacks")
@pytest.mark.parametrize(
    ("words", "printed"),
    [
        ("check dev prod", "dev is valid.\nprod is valid.\n"),
        ("compare dev dev", "dev and dev are the same.\n"),
        (
            "images prod",
            "chart  m.example.com/jobset/charts/jobset:0.12.0\n"
            "image  docker.io/library/a:1\n"
            "image  m.example.com/jobset/jobset:v0.12.0\n",
        ),
        ("images folder", "image  registry.k8s.io/jobset/jobset:v0.8.2\n"),
        (
            "images prod dev --format copies",
            "chart registry.k8s.io/jobset/charts/jobset:0.12.0 m.example.com/jobset/charts/jobset:0.12.0\n"
            "image registry.k8s.io/jobset/jobset:v0.12.0 m.example.com/jobset/jobset:v0.12.0\n",
        ),
        ("images folder --format copies", ""),
    ],
)
def test_commands_print_their_output(
    words: str, printed: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(capsys, monkeypatch, *words.split()) == (0, printed, "")


@pytest.mark.usefixtures("stacks")
def test_compare_prints_differences_with_exit_code_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(capsys, monkeypatch, "compare", "dev", "prod") == (
        1,
        "                                dev  prod\n"
        "jobset.replicas                 1    2\n"
        "jobset.values.a.b[0]            -    1\n"
        "jobset.values.a.b[1]            -    2\n"
        'images.mirrors.registry.k8s.io  -    "m.example.com"\n',
        "",
    )


@pytest.mark.usefixtures("stacks")
@pytest.mark.parametrize(
    ("stack", "said"),
    [
        ("wrong", "1 mistake in stacks/Pulumi.wrong.yaml. Nothing was changed.\n\n  jobset.replica (line 4) [STK-01]"),
        ("secret", "1 mistake in stacks/Pulumi.secret.yaml. Nothing was changed.\n\n  trainer (line 4) [STK-10]"),
        ("nobody", "stacks/Pulumi.nobody.yaml cannot be read. Nothing was changed.\n\n    There is no such file.\n"),
    ],
)
def test_errors_are_printed_with_exit_code_1(
    stack: str, said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, printed, complained = run(capsys, monkeypatch, "images", stack)
    assert (code, printed) == (1, "")
    assert complained.startswith(said), complained
    assert "hunter2" not in complained


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


def test_output_has_no_control_characters_of_files(
    stacks: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (stacks / "Pulumi.odd.yaml").write_text(
        HEAD + '  training-platform:jobset: {values: {"a\\nb": "\\e[2J\\n::error::x"}}\n'
    )
    code, printed, _ = run(capsys, monkeypatch, "compare", "dev", "odd")
    assert code == 1
    assert printed.splitlines()[1:] == [r'jobset.values.a\nb  -    "\x1b[2J\n::error::x"']
