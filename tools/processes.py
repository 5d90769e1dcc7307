"""Processes of this machine, identified by pid and start time, because pids are reused."""

import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

POLL_INTERVAL = 0.05


@dataclass(frozen=True)
class ProcessId:
    """A process: its pid and when it was started."""

    pid: int
    started: int
    """Clock ticks after the boot (proc(5), field 22 of /proc/PID/stat)."""

    @classmethod
    def of(cls, pid: int) -> Self | None:
        """The process that has this pid now. None: there is none, or it is a zombie."""
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            return None
        return None if fields[0] == "Z" else cls(pid, int(fields[19]))

    @classmethod
    def read(cls, file: Path) -> Self | None:
        """The process that a file names, if it still runs. None for a missing or damaged file."""
        try:
            pid, started = map(int, file.read_text().split())
        except (OSError, ValueError):
            return None
        return cls(pid, started) if cls(pid, started).is_alive() else None

    def write(self, file: Path) -> None:
        """Write it to a file for `read`."""
        partial = file.with_suffix(".partial")
        partial.write_text(f"{self.pid} {self.started}")
        partial.replace(file)

    def is_alive(self) -> bool:
        """Whether this process still runs."""
        return ProcessId.of(self.pid) == self

    def stop(self, timeout: float) -> None:
        """Send SIGTERM, and SIGKILL if it still runs after the timeout, in seconds."""
        for sent, wait in ((signal.SIGTERM, timeout), (signal.SIGKILL, timeout)):
            deadline = time.monotonic() + wait
            if self.is_alive():
                with suppress(ProcessLookupError):
                    os.kill(self.pid, sent)
            while self.is_alive() and time.monotonic() < deadline:
                time.sleep(POLL_INTERVAL)


def is_alive(pid: int) -> bool:
    """Whether a process of that number runs."""
    return ProcessId.of(pid) is not None


def environment_of(pid: int) -> dict[str, str]:
    """The environment with which a process was started. Empty if it has ended or belongs to another user."""
    try:
        content = Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace")
    except OSError:
        return {}
    return dict(entry.split("=", 1) for entry in content.split("\0") if "=" in entry)


def with_variable(name: str, prefix: str) -> list[ProcessId]:
    """The processes whose variable `name` begins with `prefix`."""
    numbers = (int(folder.name) for folder in Path("/proc").glob("[0-9]*"))
    found = (ProcessId.of(pid) for pid in numbers if environment_of(pid).get(name, "").startswith(prefix))
    return [process for process in found if process]
