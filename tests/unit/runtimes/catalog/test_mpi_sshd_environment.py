"""A node's sshd with an environment for its sessions: the script that starts it, run by a real shell."""

import os
import subprocess
from pathlib import Path

import pytest

from components.runtimes.catalog import deepspeed
from components.runtimes.editing import pod_of, replicated_jobs


class Sshd:
    """What sshd is started with, in place of sshd."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.program = folder / "sshd"
        self.program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >{folder}/arguments\ncp -p "$3" {folder}/config\n')
        self.program.chmod(0o755)
        (folder / "image.conf").write_text("Port 2222\nSetEnv IMAGES=own\n")

    def run(self, **env: str) -> subprocess.CompletedProcess[str]:
        node, _ = replicated_jobs(deepspeed(env=dict.fromkeys(env, "")))
        container = (pod_of(node) or pytest.fail("no pod")).containers[0]
        shell, flag, script, name = container.command or ()
        script = script.replace("/usr/sbin/sshd", str(self.program))
        script = script.replace("/home/mpiuser/.sshd_config", str(self.folder / "image.conf"))
        return subprocess.run(
            [shell, flag, script, name, *(container.args or ())],
            env={"PATH": os.defpath, "TMPDIR": str(self.folder), **env},
            capture_output=True,
            text=True,
            timeout=5,
            check=False,
        )

    @property
    def config(self) -> list[str]:
        return (self.folder / "config").read_text().splitlines()


@pytest.fixture
def sshd(tmp_path: Path) -> Sshd:
    return Sshd(tmp_path)


def test_values_are_in_a_private_file_and_not_in_arguments(sshd: Sshd) -> None:
    assert sshd.run(NCCL_DEBUG="INFO", KEY="s3cr$et").returncode == 0
    assert sshd.config == ['SetEnv NCCL_DEBUG="INFO" KEY="s3cr$et"', "Port 2222", "SetEnv IMAGES=own"]
    arguments = (sshd.folder / "arguments").read_text().split()
    assert arguments[:2] == ["-De", "-f"]
    assert len(arguments) == 3
    assert (sshd.folder / "config").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("value", ["", "two words", "it's", "$(whoami) `id` $HOME ${X}", "a=b;c&d|e>f#g", "ä 日本"])
def test_sshd_passes_values_unchanged(sshd: Sshd, value: str) -> None:
    assert sshd.run(VALUE=value).returncode == 0
    assert sshd.config[0] == f'SetEnv VALUE="{value}"'


@pytest.mark.parametrize("value", ['a"b', "a\\b", "a\nb"])
def test_variable_that_sshd_cannot_pass_is_named_without_its_value(sshd: Sshd, value: str) -> None:
    ended = sshd.run(GOOD="1", SECRET=value)
    assert ended.returncode == 1
    assert ended.stderr == "sshd cannot pass on SECRET: its value has a quote, a backslash or a line break\n"
    assert not (sshd.folder / "config").exists()
