"""The launcher's wait for its hosts, run by a real shell."""

import os
import subprocess
from pathlib import Path

import pytest

from components.runtimes.catalog import deepspeed
from components.runtimes.editing import pod_of, replicated_jobs
from components.runtimes.topology import HOSTFILE


class Wait:
    """The launcher's init container, run here by a shell: names resolve, and time passes, as the test says."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hostfile = folder / "hostfile"
        self.program(
            "getent", f'echo "$2" >>{folder}/asked; test $(grep -cx "$2" {folder}/asked) -ge "$(cat {folder}/$2)"'
        )
        self.program("date", f"echo tick >>{folder}/ticks; wc -l <{folder}/ticks")
        self.program("sleep", f'echo "$1" >>{folder}/slept')

    def resolves(self, host: str, at_question: int) -> None:
        """The host has an address from that question on."""
        (self.folder / host).write_text(str(at_question))

    def run(self, seconds: int, scheduler: str | None = None) -> subprocess.CompletedProcess[str]:
        """Waits at most that long; a second passes whenever the clock is looked at."""
        _, launcher = replicated_jobs(deepspeed(wait_for_hosts_seconds=seconds, scheduler=scheduler))
        (init,) = ((pod := pod_of(launcher)) and pod.init_containers) or ()
        shell, flag, script = init.command or ()
        return subprocess.run(
            [shell, flag, script.replace(HOSTFILE, str(self.hostfile))],
            env={"PATH": f"{self.folder}:{os.defpath}"},
            capture_output=True,
            text=True,
            timeout=5,
            check=False,
        )

    def program(self, name: str, script: str) -> None:
        """A program of that name, instead of the real one."""
        program = self.folder / name
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)


@pytest.fixture
def wait(tmp_path: Path) -> Wait:
    return Wait(tmp_path)


def test_wait_ends_when_every_host_has_an_address(wait: Wait) -> None:
    wait.hostfile.write_text("job-node-0-0.job slots=8\njob-launcher-0-0.job slots=8\n")
    wait.resolves("job-node-0-0.job", at_question=1)
    wait.resolves("job-launcher-0-0.job", at_question=3)

    ended = wait.run(seconds=60)

    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines() == [
        "waiting, no address yet for: job-launcher-0-0.job",
        f"every host of {wait.hostfile} has an address, waited 4 s",
    ]
    asked = (wait.folder / "asked").read_text().splitlines()
    assert asked == ["job-node-0-0.job", *["job-launcher-0-0.job"] * 3]
    assert (wait.folder / "slept").read_text().split() == ["0.2", "0.2"]


def test_wait_polls_every_second_if_sleep_supports_no_fractions(wait: Wait) -> None:
    wait.program("sleep", f'case "$1" in *.*) echo "invalid time" >&2; exit 1;; esac; echo "$1" >>{wait.folder}/slept')
    wait.hostfile.write_text("job-launcher-0-0.job slots=8\n")
    wait.resolves("job-launcher-0-0.job", at_question=3)

    ended = wait.run(seconds=60)

    assert (ended.returncode, ended.stderr) == (0, "")
    assert (wait.folder / "slept").read_text().split() == ["1", "1"]


def test_wait_times_out_with_the_names_of_hosts_without_an_address(wait: Wait) -> None:
    wait.hostfile.write_text("job-node-0-0.job slots=8\njob-node-0-1.job slots=8\njob-launcher-0-0.job slots=8\n")
    wait.resolves("job-node-0-0.job", at_question=1)
    wait.resolves("job-node-0-1.job", at_question=1000)
    wait.resolves("job-launcher-0-0.job", at_question=1000)

    ended = wait.run(seconds=5)

    assert ended.returncode == 1
    assert ended.stderr == "gave up after 5 s, no address for: job-node-0-1.job job-launcher-0-0.job\n"
    assert ended.stdout == "waiting, no address yet for: job-node-0-1.job job-launcher-0-0.job\n"


def test_wait_times_out_despite_slow_lookups(wait: Wait) -> None:
    hosts = [f"job-node-0-{index}.job" for index in range(5)]
    wait.hostfile.write_text("".join(f"{host} slots=8\n" for host in hosts))
    for host in hosts:
        wait.resolves(host, at_question=1000)

    ended = wait.run(seconds=3)

    assert ended.returncode == 1
    assert ended.stderr == f"gave up after 5 s, no address for: {' '.join(hosts)}\n"
    assert (wait.folder / "asked").read_text().split() == hosts[:2]


def test_wait_fails_immediately_for_an_empty_hostfile(wait: Wait) -> None:
    wait.hostfile.write_text("")

    ended = wait.run(seconds=60)

    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == f"{wait.hostfile} names no host\n"


def test_wait_with_the_kai_scheduler_ends_when_every_other_host_answers_by_ssh(wait: Wait) -> None:
    me = Path("/proc/sys/kernel/hostname").read_text().strip().partition(".")[0]
    wait.hostfile.write_text(f"job-node-0-0.job slots=8\n{me}.job slots=8\n")
    wait.resolves("job-node-0-0.job", at_question=1)
    wait.resolves(f"{me}.job", at_question=1)
    wait.program(
        "ssh-keyscan", f'echo "$@" >>{wait.folder}/scanned; test $(wc -l <{wait.folder}/scanned) -lt 3 || echo key'
    )

    ended = wait.run(seconds=60, scheduler="kai-scheduler")

    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines() == [
        "waiting, no answer yet for: job-node-0-0.job",
        f"every host of {wait.hostfile} answers, waited 4 s",
    ]
    assert (wait.folder / "scanned").read_text().splitlines() == ["-T 2 -p 2222 job-node-0-0.job"] * 3


def test_wait_with_the_kai_scheduler_times_out_with_the_names_that_do_not_answer(wait: Wait) -> None:
    wait.hostfile.write_text("job-node-0-0.job slots=8\n")
    wait.resolves("job-node-0-0.job", at_question=1)
    wait.program("ssh-keyscan", "exit 0")

    ended = wait.run(seconds=3, scheduler="kai-scheduler")

    assert ended.returncode == 1
    assert ended.stderr == "gave up after 3 s, no answer for: job-node-0-0.job\n"
