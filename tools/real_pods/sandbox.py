"""The sandbox: mount, network and process namespaces for everything of one run.

It is isolated from whatever else the machine runs: another containerd, kubelet or CNI, its bridges, its ports. And
nothing is left behind: when the sandbox's first process ends, for whatever reason, the kernel ends all others in it,
and mounts, bridges and network namespaces disappear with them. Only cgroups remain, which no namespace deletes. They
are below a group named after the checkout and are removed afterwards, or by the next run after a crash.

`python -m tools.real_pods.sandbox COMMAND...` is that first process.
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
"""Variable that is set for processes in the sandbox, to the name of its cgroup."""

CGROUP = f"training-platform-{hashlib.sha256(str(PROJECT).encode()).hexdigest()[:8]}"
"""The cgroup, in each hierarchy, for the containers of this checkout."""

TMPFS_PATHS = ("/run", "/var/lib", "/var/log")
"""Folders that are private to the sandbox and empty at first, so that containerd, CNI and kubelet can use their usual
paths."""


def run(command: Sequence[str]) -> int:
    """Run a command in a new sandbox and return its exit code."""
    # Each process ends with the one before it, even if that is killed: this one, unshare, the sandbox's first process.
    namespaces = ["--mount", "--net", "--pid", "--ipc", "--uts", "--mount-proc", "--fork", "--kill-child"]
    outside = ["setpriv", "--pdeathsig", "KILL", "unshare", *namespaces]
    remove_cgroups()
    process = subprocess.Popen([*outside, sys.executable, "-m", "tools.real_pods.sandbox", *command], cwd=PROJECT)
    try:
        while True:
            with suppress(KeyboardInterrupt):  # the command gets it as well and ends by itself
                return process.wait()
    finally:
        process.kill()
        process.wait()
        remove_cgroups()


def cgroups() -> list[Path]:
    """Cgroups of this checkout, including those of earlier runs: one in each hierarchy of version 1, one with version
    2."""
    return control_groups.named(CGROUP)


def remove_cgroups() -> None:
    """Remove the cgroups. That succeeds once the last process in them has ended."""
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
    """Create the sandbox's folders, network and cgroups."""
    for folder in TMPFS_PATHS:
        _call("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", folder)
    _call("ip", "link", "set", "lo", "up")
    network.start((each.address, each.name) for each in node.ALL)
    control_groups.make(CGROUP)


def _call(*command: str) -> None:
    subprocess.run(command, check=True)


def _first_process(command: Sequence[str]) -> int:
    """Run the command and reap orphans, as the first process of a pid namespace must."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _set_up()
    # The command gets Ctrl-C, which this process must ignore.
    command = ["/usr/bin/env", "--default-signal=INT", *command]
    main = subprocess.Popen(command, env=os.environ | {SANDBOX_VARIABLE: CGROUP})
    signal.signal(signal.SIGTERM, lambda *_: main.terminate())
    while True:
        pid, status = os.wait()
        if pid == main.pid:
            return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(_first_process(sys.argv[1:]))
