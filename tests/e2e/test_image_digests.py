"""Copies into a mirror and digests, with crane and the registry that it serves."""

import os
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tools import go_build
from tools.local_cluster.operator_pod import free_ports

from .conftest import Platform, copy_project
from .waiting import eventually

IMAGES = ("ghcr.io/kubeflow/trainer/trainer-controller-manager:v2.3.0", "registry.k8s.io/jobset/jobset:v0.12.0")
CHARTS = ("ghcr.io/kubeflow/charts/kubeflow-trainer:2.3.0", "registry.k8s.io/jobset/charts/jobset:0.12.0")


@pytest.fixture(scope="module", autouse=True)
def _built() -> None:
    go_build.build((go_build.CRANE,))


def crane(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(go_build.CRANE.path), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def registry() -> Iterator[str]:
    """An empty registry on this machine."""
    [port] = free_ports(1)
    with subprocess.Popen(
        [str(go_build.CRANE.path), "registry", "serve", "--address", f"127.0.0.1:{port}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            assert eventually(lambda: crane("catalog", f"127.0.0.1:{port}").returncode == 0)
            yield f"127.0.0.1:{port}"
        finally:
            process.kill()


def stacks(platform: Platform, *words: str) -> subprocess.CompletedProcess[str]:
    path = f"{go_build.CRANE.path.parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [sys.executable, "-m", "stacks", *words],
        cwd=platform.project,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def push(reference: str, folder: Path) -> str:
    """Push an image with one file, and return its digest."""
    file, layer = folder / "file", folder / "layer.tar"
    file.write_text(reference)
    with tarfile.open(layer, "w") as archive:
        archive.add(file, "file")
    done = crane("append", "--new_layer", str(layer), "--new_tag", reference)
    assert done.returncode == 0, done.stderr
    return crane("digest", reference).stdout.strip()


def test_a_mirror_is_filled_and_its_digests_are_pinned(tmp_path: Path, registry: str) -> None:
    platform = copy_project(tmp_path)
    config: dict[str, dict[str, Any]] = {
        "cluster": {"context": "far-away"},
        "jobset": {},
        "trainer": {},
        "images": {
            "mirrors": {"ghcr.io": f"{registry}/ghcr", "registry.k8s.io": f"{registry}/k8s"},
            "digests": "required",
        },
    }
    file = platform.project / "stacks" / "Pulumi.mirrored.yaml"

    def write() -> None:
        file.write_text(
            yaml.safe_dump({"config": {f"training-platform:{key}": value for key, value in config.items()}})
        )

    write()
    assert stacks(platform, "check", "mirrored").stdout.count("[STK-14]") == 4
    listed = stacks(platform, "images", "mirrored", "--format", "copies").stdout.splitlines()
    pairs = [line.split() for line in listed]
    assert [source for _, source, _ in pairs] == [*sorted(CHARTS), *sorted(IMAGES)]

    missing = stacks(platform, "images", "mirrored", "--digests")
    assert missing.returncode == 1
    assert missing.stderr.count("NAME_UNKNOWN") == 4, missing.stderr

    # Upstream's registries are on the same one here, below a path.
    digests = {}
    for _, source, target in pairs:
        digest = push(f"{registry}/upstream/{source}", tmp_path)
        assert crane("copy", f"{registry}/upstream/{source}", target).returncode == 0
        digests[target] = digest
    read = stacks(platform, "images", "mirrored", "--digests")
    assert (read.returncode, yaml.safe_load(read.stdout)) == (0, {"pins": digests})

    config["images"] |= yaml.safe_load(read.stdout)
    write()
    done = stacks(platform, "check", "mirrored")
    assert (done.returncode, done.stdout) == (0, "mirrored is valid.\n")
    assert stacks(platform, "images", "mirrored", "--digests").stdout == "pins: {}\n"
    pulled = [line.split()[1] for line in stacks(platform, "images", "mirrored").stdout.splitlines()]
    assert [crane("digest", each.partition("@")[0]).stdout.strip() for each in pulled] == [
        each.partition("@")[2] for each in pulled
    ]
