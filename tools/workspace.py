"""Copies of the project, which use the programs that are built here."""

import shutil
from pathlib import Path

from tools import BIN, LOCAL, PROJECT

LEFT_OUT = (".git", ".local", ".venv", "__pycache__", ".*_cache", ".hypothesis")


def copy_into(folder: Path, *left_out: str) -> None:
    """Copy it there, without its state, and without what else is `left_out`."""
    shutil.copytree(PROJECT, folder, ignore=shutil.ignore_patterns(*LEFT_OUT, *left_out))
    (folder / ".local").mkdir()
    for built in (BIN, LOCAL / "build"):
        (folder / ".local" / built.name).symlink_to(built)
