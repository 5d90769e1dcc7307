"""The instruction set that an image is for, where something says that it is for one alone."""

import re
from typing import Literal

Architecture = Literal["amd64", "arm64"]
"""Instruction set of a node, as Kubernetes calls it."""

_WORDS: dict[str, Architecture] = {"amd64": "amd64", "x86_64": "amd64", "arm64": "arm64", "aarch64": "arm64"}
_NAMED = re.compile(rf"(?<![a-z0-9])({'|'.join(_WORDS)})(?![a-z0-9])")

_PUBLISHED: dict[str, Architecture] = {"kubeflow/trainer/mlx-runtime": "amd64", "kubeflow/mlx-runtime": "amd64"}
"""Images that are published for one alone (.github/workflows/build-and-push-images.yaml of kubeflow/trainer)."""


def image_architecture(image: str) -> Architecture | None:
    """What an image is for: as its name or tag says (`app:1.2-arm64`), or as its publisher builds it. None where
    neither says anything: it may well be for several."""
    reference = image.partition("@")[0]
    path, colon, tag = reference.rpartition(":")
    name = reference if not colon or "/" in tag else path
    for published, architecture in _PUBLISHED.items():
        if f"/{name}".endswith(f"/{published}"):
            return architecture
    named = {_WORDS[word] for word in _NAMED.findall(reference.rpartition("/")[2])}
    return named.pop() if len(named) == 1 else None
