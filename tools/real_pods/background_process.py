"""Programs that run in the background until the sandbox ends."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

START_TIMEOUT = 60.0
"""Seconds until a program must serve. They need one to ten."""


class BackgroundProcessError(Exception):
    """A program ended or does not serve. The message names it and its log."""


def start(home: Path, name: str, *command: object, serves: Callable[[], bool] = lambda: True) -> None:
    """Start a program and wait until it serves. Its log is `<name>.log` in `home`.

    Raises:
        BackgroundProcessError: It ended before, or took too long.
    """
    path = home / f"{name}.log"
    with path.open("ab") as log:
        process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    deadline = time.monotonic() + START_TIMEOUT
    while not serves():
        if process.poll() is not None or time.monotonic() > deadline:
            last = "\n".join(path.read_text(errors="replace").splitlines()[-5:])
            raise BackgroundProcessError(f"{name} does not serve. Its log {path} ends with:\n{last}")
        time.sleep(0.1)
