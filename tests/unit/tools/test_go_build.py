"""Commands that exclude each other, and programs that a machine has already."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools import BIN, go_build


@pytest.fixture
def local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(go_build, "LOCAL", tmp_path)
    return tmp_path


HOLD = """
import sys
from pathlib import Path
from tools import go_build
go_build.LOCAL = Path(sys.argv[1])
with go_build.only_command("up"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_second_command_is_refused_with_the_name_of_the_first_until_it_ends(local: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(local)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as first:
        assert first.stdout
        assert first.stdout.readline() == "held\n"
        with pytest.raises(go_build.BusyError) as refused, go_build.only_command("down"):
            pass
        assert str(refused.value) == (
            f"`make up` (process {first.pid}) is changing the local stack, so nothing was done. Wait until it "
            "ends, or interrupt it."
        )
        first.kill()
    with go_build.only_command("down"):
        pass


@pytest.mark.parametrize("variable", ["KUBEBUILDER_ASSETS", "PATH"])
@pytest.mark.parametrize(("said", "taken"), [("Kubernetes v1.37.9", True), ("Kubernetes v1.36.2", False), ("?", False)])
def test_control_plane_of_the_machine_is_used_where_its_minor_version_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, said: str, taken: bool
) -> None:
    program = tmp_path / "kube-apiserver"
    program.write_text(f"#!/bin/sh\necho '{said}'\n")
    program.chmod(0o755)
    for name in ("KUBEBUILDER_ASSETS", "PATH"):
        monkeypatch.setenv(name, str(tmp_path) if name == variable else "/bin")
    go_build.installed.cache_clear()
    assert go_build.installed("kube-apiserver") == (program if taken else None)
    assert go_build.located("kube-apiserver") == (program if taken else BIN / "kube-apiserver")
    go_build.installed.cache_clear()


def test_other_programs_are_never_taken_from_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("kwok", "jobset-0.12.0"):
        (tmp_path / name).write_text("#!/bin/sh\necho v0.8.0\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(tmp_path))
    assert [go_build.installed(name) for name in ("kwok", "jobset-0.12.0")] == [None, None]
