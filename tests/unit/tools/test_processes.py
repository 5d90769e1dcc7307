"""A process is known by its number and start time together."""

import os
import subprocess
from pathlib import Path

import pytest

from tools.processes import ProcessId, environment_of, with_variable

HERE = f"/here-{os.getpid()}/"
"""A folder that no process of another test run names."""


@pytest.fixture
def sleeping() -> subprocess.Popen[bytes]:
    return subprocess.Popen(["/bin/sleep", "60"], env={"TMPDIR": f"{HERE}below", "OTHER": f"TMPDIR={HERE}"})


def test_running_process_is_read_back_from_its_file(tmp_path: Path, sleeping: subprocess.Popen[bytes]) -> None:
    with sleeping:
        process = ProcessId.of(sleeping.pid)
        assert process is not None
        process.write(tmp_path / "pid")
        assert ProcessId.read(tmp_path / "pid") == process
        process.stop(5)
    assert ProcessId.read(tmp_path / "pid") is None


def test_another_process_with_the_number_is_neither_read_nor_stopped(
    tmp_path: Path, sleeping: subprocess.Popen[bytes]
) -> None:
    with sleeping:
        (tmp_path / "pid").write_text(f"{sleeping.pid} 1")
        assert ProcessId.read(tmp_path / "pid") is None
        ProcessId(sleeping.pid, 1).stop(0)
        assert sleeping.poll() is None
        sleeping.kill()


@pytest.mark.parametrize("content", ["", "12", "a b", "1 2 3", "-1 5", "\0"])
def test_damaged_file_names_no_process(tmp_path: Path, content: str) -> None:
    (tmp_path / "pid").write_text(content)
    assert ProcessId.read(tmp_path / "pid") is None


def test_missing_file_names_no_process(tmp_path: Path) -> None:
    assert ProcessId.read(tmp_path / "pid") is None


def test_variable_is_compared_whole_and_by_name(sleeping: subprocess.Popen[bytes]) -> None:
    with sleeping:
        assert [process.pid for process in with_variable("TMPDIR", HERE)] == [sleeping.pid]
        assert with_variable("OTHER", HERE) == []
        assert environment_of(sleeping.pid)["OTHER"] == f"TMPDIR={HERE}"
        sleeping.kill()
    assert os.getpid() not in [process.pid for process in with_variable("TMPDIR", HERE)]
