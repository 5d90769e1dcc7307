"""Copies of the project that share the built programs."""

import shutil
from pathlib import Path

from tools import BIN, LOCAL, PROJECT

LEFT_OUT = (".git", ".local", ".venv", "__pycache__", ".*_cache", ".hypothesis")


def copy_into(folder: Path, *left_out: str) -> None:
    """Copy the project into a folder, without its state and without `left_out`."""
    shutil.copytree(PROJECT, folder, ignore=shutil.ignore_patterns(*LEFT_OUT, *left_out))
    (folder / ".local").mkdir()
    for built in (BIN, LOCAL / "build"):
        (folder / ".local" / built.name).symlink_to(built)
