"""Images of the catalogue, in registries and mirrors."""

import pytest

from components.runtimes.catalog.images import through_mirror, trainer_image


@pytest.mark.parametrize(
    ("image", "mirrored"),
    [
        ("ubuntu:jammy", "m.example.com/hub/library/ubuntu:jammy"),
        ("pytorch/pytorch:2", "m.example.com/hub/pytorch/pytorch:2"),
        ("nvcr.io/nvidia/jax:1", "m.example.com/hub/nvidia/jax:1"),
        ("registry:5000/a/b", "m.example.com/hub/a/b"),
    ],
)
def test_mirror_replaces_the_host_of_the_registry(image: str, mirrored: str) -> None:
    assert through_mirror(image, "m.example.com/hub") == mirrored
    assert through_mirror(image, None) == image


def test_images_of_trainer_have_the_tag_of_its_release() -> None:
    assert trainer_image("data-cache") == "ghcr.io/kubeflow/trainer/data-cache:v2.3.0"
