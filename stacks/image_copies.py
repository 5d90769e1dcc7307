"""What a mirror must contain: where each image and chart of a stack comes from, and where the stack pulls it."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from .settings.image_inventory import Artifact
from .settings.image_reference import ImageReference
from .settings.images import OCI, Images
from .settings.load import LoadedStack
from .settings.policies import Policies
from .settings.resolve import resolve


class ImageCopy(NamedTuple):
    """An image or a chart, upstream and in the mirror. The references have no scheme."""

    kind: str
    """`image` or `chart`. A chart in a registry is copied as an image is."""

    source: str
    """The reference upstream: `name:tag`, or `name@sha256:...` if its digest is pinned."""

    target: str
    """The reference in the mirror: `name:tag`. Without a mirror, the name is the same as in `source`."""

    digest: str | None
    """The pinned digest, if any."""

    @property
    def is_mirrored(self) -> bool:
        """Whether it is pulled from somewhere else than upstream."""
        return ImageReference.parse(self.source)[:2] != ImageReference.parse(self.target)[:2]  # type: ignore[index]


def image_copies(loaded: LoadedStack) -> list[ImageCopy]:
    """The images and charts of a stack that are pulled from a registry, sorted. Raises InvalidSettingsError for errors
    of the file, except for missing digests and registries that are not allowed."""
    images = loaded.config.images
    here, upstream = (_artifacts(loaded, each) for each in (images, images.model_copy(update={"mirrors": {}})))
    pairs = zip(here, upstream, strict=True)
    return sorted({_copy(source, target) for target, source in pairs if target.is_pulled})


def as_text(copies: Iterable[ImageCopy]) -> str:
    """A line for each image and chart: its kind, and the reference with which it is pulled."""
    pinned = {each: f"@{each.digest}" if each.digest else "" for each in copies}
    return "\n".join(f"{each.kind}  {each.target}{digest}" for each, digest in pinned.items())


def as_copies(copies: Iterable[ImageCopy]) -> str:
    """A line for each mirrored image and chart, for shell scripts: kind, source and target."""
    return "\n".join(f"{each.kind} {each.source} {each.target}" for each in copies if each.is_mirrored)


def as_json(copies: Iterable[ImageCopy]) -> str:
    """All images and charts, as a list of objects."""
    return json.dumps([each._asdict() for each in copies], indent=2)


IMAGE_FORMATS: Mapping[str, Callable[[Iterable[ImageCopy]], str]] = {
    "text": as_text,
    "copies": as_copies,
    "json": as_json,
}
"""The output formats of `stacks images`."""


def _artifacts(loaded: LoadedStack, images: Images) -> list[Artifact]:
    changes = {"images": images.model_copy(update={"digests": "optional"}), "policies": Policies()}
    return resolve(replace(loaded, config=loaded.config.model_copy(update=changes))).bind({}).artifacts()


def _copy(source: Artifact, target: Artifact) -> ImageCopy:
    above, here = (_parsed(each) for each in (source, target))
    digest = here.digest or above.digest
    tag = f":{here.tag}" if here.tag else ""
    pinned = f"@{digest}" if digest else f":{above.tag}" if above.tag else ""
    return ImageCopy(target.kind, f"{above.name}{pinned}", f"{here.name}{tag}", digest)


def _parsed(artifact: Artifact) -> ImageReference:
    # Helm writes the `+` of a version as `_` (pkg/registry/reference.go@helm@v3.18.6).
    text = artifact.reference.removeprefix(OCI)
    parsed = ImageReference.parse(text.replace("+", "_") if artifact.kind == "chart" else text)
    assert parsed is not None  # noqa: S101 - `resolve` rejects invalid references
    return parsed
