"""The commands behind the Makefile, without a cluster."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools import __main__ as commands
from tools import pulumi_engine


def test_variables_are_read_by_a_shell_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kubeconfig = tmp_path / "a'; echo b; '" / "kube config"
    kubeconfig.parent.mkdir()
    kubeconfig.touch()
    monkeypatch.setattr(commands, "KUBECONFIG", kubeconfig)
    monkeypatch.setattr(pulumi_engine, "STATE", kubeconfig.parent)
    monkeypatch.setattr(commands, "LOCAL", kubeconfig.parent)
    monkeypatch.setattr(sys, "argv", ["tools", "env"])
    assert commands.main() == 0
    script = capsys.readouterr().out + 'printf "%s|%s" "$KUBECONFIG" "$PULUMI_BACKEND_URL"'
    read = subprocess.run(["/bin/sh", "-c", script], check=True, capture_output=True, text=True)
    assert read.stdout == f"{kubeconfig}|file://{kubeconfig.parent}?metadata=skip"


def test_temporary_folder_of_a_shell_is_deleted_after_the_shell_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(commands, "KUBECONFIG", tmp_path)
    for module in (commands, pulumi_engine):
        monkeypatch.setattr(module, "LOCAL", tmp_path)
    commands.env("local")
    variables = capsys.readouterr().out
    script = f"umask 0; {variables}{variables}" + 'echo "$TMPDIR $$"; mktemp; read end'
    command = ["/bin/sh", "-c", script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as shell:
        assert shell.stdout
        folder, pid = shell.stdout.readline().split()
        left = Path(shell.stdout.readline().strip())
        assert (Path(folder).parent, int(pid)) == (tmp_path, shell.pid)
        assert (left.parent, left.exists()) == (Path(folder), True)
        assert Path(folder).stat().st_mode & 0o777 == 0o700
        pulumi_engine.remove_left_folders()
        assert left.exists(), "its shell still runs"
        shell.communicate("\n")
    pulumi_engine.remove_left_folders()
    assert list(tmp_path.iterdir()) == []
