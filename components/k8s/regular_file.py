"""Reads input files: regular files only, up to a size."""

import os
import stat
from errno import EFBIG, EINVAL
from pathlib import Path

_MIB = 1 << 20

MAX_STACK_FILE = 4 * _MIB
"""Maximum size in bytes of a stack file and of a chart's Chart.yaml."""

MAX_MANIFEST_FILE = 64 * _MIB
"""Maximum size in bytes of a file of manifests, and of standard input."""


def read_regular_file(file: Path, max_bytes: int) -> bytes:
    """Return the content of a regular file.

    Raises OSError for a FIFO, device or socket, which could block or never end, and for a file larger than `max_bytes`;
    ValueError for a path with a NUL character.
    """
    with open(file, "rb", buffering=0, opener=_without_waiting) as opened:
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            raise OSError(EINVAL, "Not a regular file", str(file))
        with open(opened.fileno(), "rb", closefd=False) as buffered:
            content = buffered.read(max_bytes + 1)
    check_length(content, max_bytes, str(file))
    return content


def _without_waiting(path: str, flags: int) -> int:
    # Without O_NONBLOCK opening a FIFO waits for a writer.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def check_length(content: bytes, max_bytes: int, name: str) -> None:
    """Raise OSError if `content` is longer than `max_bytes`."""
    if len(content) > max_bytes:
        raise OSError(EFBIG, f"Larger than {max_bytes // _MIB} MiB", name)
