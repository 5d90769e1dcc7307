"""Archives of images, as `docker save` writes them and containerd imports them."""

import hashlib
import json
import platform
import tarfile
from io import BytesIO
from pathlib import Path
from typing import Any

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
"""Names of architectures in images, by the kernel's name."""


def write(archive: Path, name: str, layer: Path, config: dict[str, Any]) -> None:
    """Write the archive of an image with one layer.

    Args:
        archive: The file to write.
        name: Name of the image.
        layer: The image's files, as a tar archive.
        config: The image's `config`: user, command and environment.
    """
    with layer.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    image = {
        "architecture": ARCHITECTURES[platform.machine()],
        "os": "linux",
        "config": config,
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
    }
    manifest = [{"Config": "config.json", "RepoTags": [name], "Layers": ["layer.tar"]}]
    with tarfile.open(archive, "w") as tar:
        for file, value in (("config.json", image), ("manifest.json", manifest)):
            add(tar, file, json.dumps(value).encode())
        tar.add(layer, "layer.tar")


def add(tar: tarfile.TarFile, path: str, content: bytes) -> None:
    """Add a file that belongs to root and is readable by everyone."""
    member = tarfile.TarInfo(path)
    member.size = len(content)
    tar.addfile(member, BytesIO(content))
