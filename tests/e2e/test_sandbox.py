"""The box of real pods: whatever happens to a run, the next one starts on a machine that knows nothing of it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tools.real_pods import host_requirements, network

from .conftest import copy_project

pytestmark = pytest.mark.skipif(
    bool(host_requirements.unsupported_reason()),
    reason=f"no real pods on this machine: {host_requirements.unsupported_reason()}",
)

RUN = "import sys; from tools.real_pods import sandbox; sys.exit(sandbox.run(sys.argv[1:]))"
# What a container leaves: a process with a control group of its own, an interface, a mount.
BUSY = """
ip link add pod0 type bridge
mount -t tmpfs tmpfs /mnt
for group in $(find /sys/fs/cgroup -maxdepth 2 -name $TRAINING_PLATFORM_BOX -not -path "*/cpuset/*"); do
  mkdir $group/pod
  echo $$ > $group/pod/cgroup.procs
done
exec sleep 1000000
"""


def start(project: Path, *command: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", RUN, *command], cwd=project)


def become(what: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def of_box(process: subprocess.Popen[bytes]) -> list[int]:
    """The processes that descend from it."""
    found = [process.pid]
    with suppress(OSError):  # one that ends meanwhile
        for pid in found:
            for children in Path(f"/proc/{pid}/task").glob("*/children"):
                found += map(int, children.read_text().split())
    return found[1:]


def is_sleeping(pid: int) -> bool:
    try:
        return b"1000000" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False


def exists(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def seen_by_the_machine() -> tuple[str, list[str]]:
    return Path("/proc/mounts").read_text(), sorted(interface.name for interface in Path("/sys/class/net").iterdir())


def groups(project: Path) -> list[str]:
    code = "from tools.real_pods import sandbox; print(*sandbox.cgroups(), sep='\\n')"
    listed = subprocess.run([sys.executable, "-c", code], cwd=project, capture_output=True, text=True, check=True)
    return listed.stdout.split()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_box_that_is_killed_takes_everything_with_it(tmp_path: Path, how: signal.Signals) -> None:
    project = copy_project(tmp_path).project
    before = seen_by_the_machine()
    process = start(project, "sh", "-ec", BUSY)
    become(lambda: any(map(is_sleeping, of_box(process))))
    inside = of_box(process)
    assert seen_by_the_machine() == before
    assert network.INTERFACE not in before[1]
    os.kill(process.pid, how)
    process.wait()
    become(lambda: not any(map(exists, inside)))
    assert seen_by_the_machine() == before
    assert start(project, "true").wait() == 0
    assert groups(project) == []


def test_a_box_has_the_exit_code_of_its_command(tmp_path: Path) -> None:
    project = copy_project(tmp_path).project
    assert start(project, "sh", "-c", "exit 7").wait() == 7
    assert groups(project) == []
