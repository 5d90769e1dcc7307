"""The architecture that the reference of an image shows."""

import pytest

from components.k8s.image_architecture import image_architecture


@pytest.mark.parametrize(
    ("image", "architecture"),
    [
        ("r.example.com/arm64/train:1", None),
        ("r.example.com/train-aarch64:1", "arm64"),
        ("r.example.com:5000/train:1-x86_64@sha256:0", "amd64"),
        ("r.example.com/train-amd64:arm64", None),
        ("r.example.com/charm64:1", None),
        ("m.example.com/ghcr/kubeflow/trainer/mlx-runtime:v2.3.0", "amd64"),
        ("r.example.com:5000/kubeflow/mlx-runtime", "amd64"),
        ("ghcr.io/kubeflow/trainer/deepspeed-runtime:v2.3.0", None),
        ("", None),
    ],
)
def test_architecture_of_an_image_is_known_by_name_or_publisher(image: str, architecture: str | None) -> None:
    assert image_architecture(image) == architecture
