"""`python -m stacks`: about stack files, without an engine and a cluster."""

from pathlib import Path

import pytest

from .command import run

HEAD = "config:\n  training-platform:inherits: shared\n  training-platform:cluster: {context: far-away}\n"


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


def test_output_has_no_control_characters_of_files(
    stacks: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (stacks / "Pulumi.odd.yaml").write_text(
        HEAD + '  training-platform:jobset: {values: {"a\\nb": "\\e[2J\\n::error::x"}}\n'
    )
    code, printed, _ = run(capsys, monkeypatch, "compare", "dev", "odd")
    assert code == 1
    assert printed.splitlines()[1:] == [r'jobset.values.a\nb  -    "\x1b[2J\n::error::x"']
