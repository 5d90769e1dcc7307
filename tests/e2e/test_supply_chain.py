"""A package or a Go module with another content than the one that is pinned is not used."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tools import go_build

PROJECT = Path(__file__).parent.parent.parent
LICENSES = go_build.GO_MODULES / "licenses"


def install(folder: Path, lock: str) -> subprocess.CompletedProcess[str]:
    file = folder / "lock.txt"
    file.write_text(lock)
    command = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--no-deps", "--require-hashes"]
    return subprocess.run(
        [*command, "--dest", str(folder), "--requirement", str(file)], check=False, capture_output=True, text=True
    )


def test_pip_rejects_a_package_with_another_hash(tmp_path: Path) -> None:
    lock = (PROJECT / "requirements.txt").read_text()
    (package,) = re.findall(r"^annotated-types==(?:.*\\\n)+.*\n", lock, re.MULTILINE)
    assert install(tmp_path, package).returncode == 0
    refused = install(tmp_path, re.sub(r"sha256:\w{8}", "sha256:00000000", package))
    assert refused.returncode != 0
    assert "THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE" in refused.stderr
    assert install(tmp_path, package.partition(" ")[0]).returncode != 0


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [go_build.go(), "build", "-o", str(folder / "program"), "."],
        cwd=folder,
        env=os.environ | go_build.BUILD_ENVIRONMENT,
        check=False,
        capture_output=True,
        text=True,
    )


def test_go_rejects_a_module_with_other_content(tmp_path: Path) -> None:
    folder = tmp_path / "licenses"
    shutil.copytree(LICENSES, folder)
    assert build(folder).returncode == 0

    checksums = folder / "go.sum"
    right = checksums.read_text()
    checksums.write_text(re.sub(r"h1:\w{4}", "h1:AAAA", right))
    wrong = checksums.read_text()
    refused = build(folder)
    assert refused.returncode != 0
    assert "checksum mismatch" in refused.stderr
    assert checksums.read_text() == wrong

    checksums.write_text("")
    refused = build(folder)
    assert refused.returncode != 0
    assert "missing go.sum entry" in refused.stderr
    assert checksums.read_text() == ""
