"""Only regular files are read, up to a size."""

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from components.k8s.regular_file import read_regular_file

SELF: dict[str, Any] = {}
SELF["self"] = SELF


def test_only_regular_files_are_read_and_up_to_a_size(tmp_path: Path) -> None:
    file, fifo, sock = tmp_path / "file", tmp_path / "fifo", tmp_path / "socket"
    file.write_bytes(b"12345")
    os.mkfifo(fifo)
    assert read_regular_file(file, 5) == b"12345"
    for path, strerror in ((fifo, "Not a regular file"), (Path("/dev/zero"), "Not a regular file"), (tmp_path, "Is a")):
        with pytest.raises(OSError, match=strerror):
            read_regular_file(path, 5)
    with pytest.raises(OSError, match="Larger than 0 MiB"):
        read_regular_file(file, 4)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(sock))
        with pytest.raises(OSError, match="No such device"):
            read_regular_file(sock, 5)
