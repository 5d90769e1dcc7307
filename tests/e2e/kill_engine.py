"""The engine, killed in the middle of something."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from .conftest import Platform

STEP = re.compile(r"^ *[-+~]+ .*(?:creat|updat|delet|replac)(?:ing|ed)")
"""A line by which the engine says that it begins or ends something."""


def steps(output: str) -> int:
    """How many such lines there are."""
    return sum(bool(STEP.match(line)) for line in output.splitlines())


def kill_during(platform: Platform, command: str, step: int) -> str:
    """Run a command and kill it, and the engine that it runs, with signal 9 at that step. Returns its last line."""
    process = _start(platform, command, subprocess.PIPE)
    assert process.stdout
    seen, last = 0, ""
    for line in process.stdout:
        seen += bool(STEP.match(line))
        last = line.strip()
        if seen >= step:
            os.killpg(process.pid, signal.SIGKILL)
            break
    process.wait()
    process.stdout.close()
    assert seen >= step, f"it was over after {seen} steps, before it could be killed"
    _end_plugins(platform)
    return last


def kill_when(platform: Platform, command: str, is_reached: Callable[[], bool]) -> None:
    """Run a command and kill it, and the engine that it runs, with signal 9 as soon as something is reached."""
    process = _start(platform, command, subprocess.DEVNULL)
    while not is_reached():
        assert process.poll() is None, "it was over before it could be killed"
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    _end_plugins(platform)


def _start(platform: Platform, command: str, output: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tools", command],
        cwd=platform.project,
        env=os.environ | {"TRAINING_PLATFORM_OWNER": str(os.getpid())},
        stdout=output,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def _end_plugins(platform: Platform) -> None:
    """The engine's plugins outlive it when it is killed; these run in the checkout."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            folder, command = os.readlink(process / "cwd"), (process / "cmdline").read_bytes()
        except OSError:
            continue
        if folder == str(platform.project) and b"pulumi-resource-" in command:
            os.kill(int(process.name), signal.SIGKILL)
