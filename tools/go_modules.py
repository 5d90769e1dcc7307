"""Folders of upstream's Go modules: charts, CRDs, manifests and sources of the pinned versions."""

import json
import os
import subprocess
from functools import cache
from pathlib import Path

from tools import PROJECT
from tools.go_build import go

UPSTREAM = PROJECT / "tools" / "go" / "upstream"
"""A Go module without packages. Its go.sum has the checksums of every version that `module_dir` returns."""


class ModuleDownloadError(Exception):
    """A Go module could not be downloaded, or its checksum is not that of go.sum. The message says which and why."""


@cache
def module_dir(path: str, version: str) -> Path:
    """The folder of a Go module in the module cache. Downloads it if needed.

    Args:
        path: The module's path, such as `sigs.k8s.io/jobset`.
        version: Its version, with or without the leading v.

    Raises:
        ModuleDownloadError: It cannot be downloaded, go.sum does not pin this version, or its checksum differs.
    """
    module = f"{path}@v{version.removeprefix('v')}"
    expected = _checksum(module)
    if expected is None:
        raise ModuleDownloadError(f"Go module {module} is not pinned. Add its two lines to {UPSTREAM / 'go.sum'}.")
    command = [go(), "mod", "download", "-json", module]
    environment = os.environ | {"GOFLAGS": "-mod=mod", "GOWORK": "off"}
    asked = subprocess.run(command, cwd=UPSTREAM, env=environment, capture_output=True, text=True, check=False)
    try:
        download = json.loads(asked.stdout)
    except ValueError:
        download = {"Error": asked.stderr.strip()}
    if "Error" in download:
        raise ModuleDownloadError(f"Go module {module} cannot be downloaded: {download['Error']}")
    if download["Sum"] != expected:
        raise ModuleDownloadError(
            f"Go module {module} has the checksum {download['Sum']}, but {UPSTREAM / 'go.sum'} pins {expected}."
        )
    return Path(download["Dir"])


def _checksum(module: str) -> str | None:
    """The checksum that go.sum pins for `path@version`, or None."""
    path, _, version = module.partition("@")
    lines = (line.split() for line in (UPSTREAM / "go.sum").read_text().splitlines())
    return next((checksum for name, number, checksum in lines if (name, number) == (path, version)), None)
