"""Images of the catalog's runtimes, pinned to a Trainer version only here."""

FLUX_VIEW_IMAGE = "FLUX_VIEW_IMAGE"
"""Environment variable of container `node` that names the image of Trainer's init container `flux-installer`
(pkg/runtime/framework/plugins/flux/flux.go, Trainer 2.3.0)."""

TRAINER_VERSION = "2.3.0"
"""Kubeflow Trainer release whose images and manifests the catalogue follows."""

PYTORCH = "pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime"
"""What upstream's torch runtimes run (manifests/base/runtimes, Trainer 2.3.0)."""

JAX = "nvcr.io/nvidia/jax:25.10-py3"
"""What upstream's JAX runtime runs (manifests/base/runtimes, Trainer 2.3.0)."""


FLUX = "ubuntu:jammy"
"""What upstream's Flux runtime runs (examples/flux/flux-runtime.yaml, Trainer 2.3.0)."""

FLUX_VIEW = "ghcr.io/converged-computing/flux-view-ubuntu:tag-jammy"
"""Where Trainer copies Flux from into the pods, built for Ubuntu 22.04 (pkg/constants/constants.go, Trainer 2.3.0)."""


def trainer_image(name: str) -> str:
    """One of Trainer's own images, pinned to its release. Upstream's manifests leave the tag to the installer."""
    return f"ghcr.io/kubeflow/trainer/{name}:v{TRAINER_VERSION}"


def through_mirror(image: str, registry: str | None) -> str:
    """The image in a mirror: the registry's host is replaced, the rest of the reference is kept."""
    if registry is None:
        return image
    host, _, path = image.partition("/")
    if not path:
        # Docker Hub's own images are in its folder library.
        return f"{registry}/library/{image}"
    named = "." in host or ":" in host
    return f"{registry}/{path if named else image}"
