"""The box: namespaces of mounts, network and processes, in which everything of one run lives.

Nothing inside can be seen by, or get in the way of, what else the machine runs: another containerd, kubelet or CNI, its
bridges, its ports. And nothing stays: when the box's first process ends, however it does, the kernel ends all others in
it, and with them go mounts, bridges and network namespaces. Only control groups stay, which have no namespace that
ends; they lie below one of the checkout's name and are removed afterwards, or by the next run after a crash.

Run as `python -m tools.real_pods.sandbox COMMAND...` it is that first process.
"""

import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tools import PROJECT
from tools.real_pods import control_groups, network, node

SANDBOX_VARIABLE = "TRAINING_PLATFORM_BOX"
"""The variable that says to what runs in the box that it does: it has the name of the box's control group."""

CGROUP = f"training-platform-{hashlib.sha256(str(PROJECT).encode()).hexdigest()[:8]}"
"""The control group, in each hierarchy, below which the containers of this checkout have theirs."""

TMPFS_PATHS = ("/run", "/var/lib", "/var/log")
"""Folders that are empty in the box at first, and its own: so containerd, CNI and kubelet keep to their usual paths."""


def run(command: Sequence[str]) -> int:
    """Run a command in a box of its own, and return its exit code."""
    # Each ends with the one before it, even if that is killed: this process, unshare, the first process in the box.
    namespaces = ["--mount", "--net", "--pid", "--ipc", "--uts", "--mount-proc", "--fork", "--kill-child"]
    outside = ["setpriv", "--pdeathsig", "KILL", "unshare", *namespaces]
    remove_cgroups()
    process = subprocess.Popen([*outside, sys.executable, "-m", "tools.real_pods.sandbox", *command], cwd=PROJECT)
    try:
        while True:
            with suppress(KeyboardInterrupt):  # it reaches the command as well, which ends in its own way
                return process.wait()
    finally:
        process.kill()
        process.wait()
        remove_cgroups()


def cgroups() -> list[Path]:
    """Control groups of this checkout, of an earlier run too: one a hierarchy with version 1, one with version 2."""
    return control_groups.named(CGROUP)


def remove_cgroups() -> None:
    """Remove them, which works as soon as the last process in them has ended."""
    deadline = time.monotonic() + 10
    while cgroups():
        for top in cgroups():
            for group in (*sorted((g for g in top.rglob("*") if g.is_dir()), reverse=True), top):
                with suppress(OSError):
                    group.rmdir()
        if time.monotonic() > deadline:
            raise TimeoutError(f"{cgroups()[0]} still has processes")
        time.sleep(0.02)


def _set_up() -> None:
    """Make the box's own folders, network and control groups."""
    for folder in TMPFS_PATHS:
        _call("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", folder)
    _call("ip", "link", "set", "lo", "up")
    network.start((each.address, each.name) for each in node.ALL)
    control_groups.make(CGROUP)


def _call(*command: str) -> None:
    subprocess.run(command, check=True)


def _first_process(command: Sequence[str]) -> int:
    """Run the command, and reap what others leave behind, as the first process of a box must."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _set_up()
    # The command hears Ctrl-C, which this process must outlive.
    command = ["/usr/bin/env", "--default-signal=INT", *command]
    main = subprocess.Popen(command, env=os.environ | {SANDBOX_VARIABLE: CGROUP})
    signal.signal(signal.SIGTERM, lambda *_: main.terminate())
    while True:
        pid, status = os.wait()
        if pid == main.pid:
            return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(_first_process(sys.argv[1:]))
