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
    monkeypatch.setattr(sys, "argv", ["tools", "env"])
    assert commands.main() == 0
    script = capsys.readouterr().out + 'printf "%s|%s" "$KUBECONFIG" "$PULUMI_BACKEND_URL"'
    read = subprocess.run(["/bin/sh", "-c", script], env={}, check=True, capture_output=True, text=True)
    assert read.stdout == f"{kubeconfig}|file://{kubeconfig.parent}"
