"""Images of operators: what upstream's Dockerfiles make of the built controller."""

import json
import tarfile
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest

from tools import go_build
from tools.local_cluster import operators
from tools.real_pods import operator_images
from tools.real_pods.operator_images import OperatorImage


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The archive of an image whose controller is a file of three bytes."""
    monkeypatch.setattr(go_build, "BIN", tmp_path)
    monkeypatch.setattr(operator_images, "IMAGES", tmp_path / "images")
    operator = replace(operators.DEFAULT[0], version="1.2.3")
    operator.program.path.write_bytes(b"elf")
    image = OperatorImage(operator)
    image.make()
    return image.archive


@pytest.fixture
def read(archive: Path) -> Callable[[str], bytes]:
    """Reads a file of the archive."""

    def content(name: str) -> bytes:
        with tarfile.open(archive) as tar:
            file = tar.extractfile(name)
            assert file is not None
            return file.read()

    return content


def test_it_has_upstreams_name_and_version(read: Callable[[str], bytes]) -> None:
    (entry,) = json.loads(read("manifest.json"))
    assert entry["RepoTags"] == ["registry.k8s.io/jobset/jobset:v1.2.3"]


def test_it_runs_the_manager_as_distroless_nonroot(read: Callable[[str], bytes]) -> None:
    config = json.loads(read("config.json"))["config"]
    assert (config["User"], config["Entrypoint"]) == ("65532", ["/manager"])


def test_its_files_are_roots_but_for_a_tmp_of_everyone(read: Callable[[str], bytes]) -> None:
    with tarfile.open(fileobj=BytesIO(read("layer.tar"))) as layer:
        files = {member.name: (oct(member.mode), member.uid, member.gid) for member in layer}
        manager = layer.extractfile("manager")
        assert manager is not None
        assert manager.read() == b"elf"
    assert files == {
        "etc": ("0o755", 0, 0),
        "etc/passwd": ("0o644", 0, 0),
        "etc/group": ("0o644", 0, 0),
        "tmp": ("0o1777", 0, 0),
        "manager": ("0o755", 0, 0),
    }
