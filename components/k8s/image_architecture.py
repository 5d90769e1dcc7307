"""The CPU architecture of an image, where its reference shows that it is built for only one."""

import re
from typing import Literal

Architecture = Literal["amd64", "arm64"]
"""CPU architecture of a node, as in the label `kubernetes.io/arch`."""

_WORDS: dict[str, Architecture] = {"amd64": "amd64", "x86_64": "amd64", "arm64": "arm64", "aarch64": "arm64"}
_NAMED = re.compile(rf"(?<![a-z0-9])({'|'.join(_WORDS)})(?![a-z0-9])")

_PUBLISHED: dict[str, Architecture] = {"kubeflow/trainer/mlx-runtime": "amd64", "kubeflow/mlx-runtime": "amd64"}
"""Images published for one architecture only (.github/workflows/build-and-push-images.yaml of kubeflow/trainer)."""


def image_architecture(image: str) -> Architecture | None:
    """The architecture of an image: from its name or tag (`app:1.2-arm64`), or from how its publisher builds it. None
    if unknown: the image may support several."""
    reference = image.partition("@")[0]
    path, colon, tag = reference.rpartition(":")
    name = reference if not colon or "/" in tag else path
    for published, architecture in _PUBLISHED.items():
        if f"/{name}".endswith(f"/{published}"):
            return architecture
    named = {_WORDS[word] for word in _NAMED.findall(reference.rpartition("/")[2])}
    return named.pop() if len(named) == 1 else None
