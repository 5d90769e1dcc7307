"""The images and charts of a stack, as they are pulled."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from components.gpu_node_pool.spec import GpuNodePoolSpec
from components.operators.spec import OperatorSpec
from components.runtimes.editing import pod_of, replicated_jobs
from components.validation.errors import yaml_repr
from components.validation.violation import Violation

from .image_reference import ImageReference
from .images import IMAGE_VARIABLES, OCI, Images
from .policies import Policies
from .runtimes import Runtime


class Artifact(NamedTuple):
    """An image or a chart."""

    kind: str
    """`image` or `chart`."""

    reference: str
    """Reference of an image, such as `ghcr.io/kubeflow/trainer/mlx-runtime:v2.3.0`, or location and version of a
    chart."""

    path: str
    """Path in the stack file of the pool, operator or runtime that uses it."""

    @property
    def is_pulled(self) -> bool:
        """Whether it is pulled from a registry. A chart can also be in a folder of the project."""
        return self.kind == "image" or self.reference.startswith(OCI)


def of_pool(path: str, spec: GpuNodePoolSpec) -> Iterator[Artifact]:
    """Images of a pool's device plugins."""
    for plugin in getattr(spec, "device_plugins", ()):
        yield Artifact("image", plugin.image, path)


def of_operator(path: str, spec: OperatorSpec) -> Iterator[Artifact]:
    """An operator's chart, the image of its controller, and further images in its `values`."""
    location, at, digest = spec.chart.partition("@")
    yield Artifact("chart", f"{location}:{spec.version}{at}{digest}", path)
    yield Artifact("image", spec.controller_image, path)
    rest = {key: value for key, value in spec.values.items() if value is not spec.image_values}
    yield from (Artifact("image", image, f"{path}.values.{key}") for key, image in _images_in(rest))


def _images_in(values: object, key: str = "") -> Iterator[tuple[str, str]]:
    """The images in a chart's values, by key: a string at a key `image`, or a mapping of `registry`, `repository`,
    `tag` and `digest`."""
    if isinstance(values, Mapping):
        if _IMAGE_PARTS & values.keys():
            yield key, _joined(values)
        for name, value in values.items():
            inner = f"{key}.{name}" if key else str(name)
            if isinstance(value, str) and value and str(name).lower().endswith("image"):
                yield inner, value
            else:
                yield from _images_in(value, inner)
    elif isinstance(values, list | tuple):
        for index, value in enumerate(values):
            yield from _images_in(value, f"{key}[{index}]")


_IMAGE_PARTS = {"repository", "registry"}
"""Keys by which a mapping in values is an image. The image is known if both are set, or if `repository` includes the
registry."""


def _joined(image: Mapping[str, Any]) -> str:
    name = "/".join(str(image[part]) for part in ("registry", "repository") if image.get(part))
    tag, digest = image.get("tag"), image.get("digest")
    return name + (f":{tag}" if tag else "") + (f"@{digest}" if digest else "")


def of_runtime(path: str, runtime: Runtime) -> Iterator[Artifact]:
    """Images of a runtime: of containers, init containers and image volumes."""
    for pod in filter(None, map(pod_of, replicated_jobs(runtime))):
        for container in (*(pod.init_containers or ()), *pod.containers, *(pod.ephemeral_containers or ())):
            named = (each.value for each in container.env or () if each.name in IMAGE_VARIABLES)
            yield from (Artifact("image", image, path) for image in (container.image, *named) if image)
        for volume in pod.volumes or ():
            if volume.image and volume.image.reference:
                yield Artifact("image", volume.image.reference, path)


def check_image_policies(artifacts: Iterable[Artifact], images: Images, policies: Policies) -> Iterator[Violation]:
    """Yields violations of the stack's own policies: missing digests, and registries that are not allowed. Invalid
    references are violations too, because they cannot be checked."""
    for artifact in dict.fromkeys(artifacts):
        kind, reference, path = artifact
        if not artifact.is_pulled:
            continue
        # Helm writes the `+` of a version as `_` (pkg/registry/reference.go@helm@v3.18.6).
        parsed = ImageReference.parse(reference.removeprefix(OCI).replace("+", "_") if kind == "chart" else reference)
        if parsed is None:
            message = (
                f"{yaml_repr(reference)} is not a valid reference to {'a chart' if kind == 'chart' else 'an image'}."
            )
            fix = "Write it as `registry/path:tag` or with `@sha256:...`."
            bare = re.sub(r"^https?://", "", reference)
            if bare != reference and ImageReference.parse(bare):
                fix = f"Write {yaml_repr(bare)}: a reference has no scheme."
            yield Violation("STK-20", path, message, fix)
            continue
        if images.digests == "required" and parsed.digest is None:
            message = f"{reference} has no digest, and `images.digests` requires one."
            fix = f"Add `{reference.removeprefix(OCI)}: sha256:...` to `images.pins`."
            other = " Or copy the chart into a folder of the project." if kind == "chart" else ""
            yield Violation("STK-14", path, message, fix + other)
        if policies.registries and not any(map(parsed.is_in, policies.registries)):
            message = f"{reference} is from a registry that `policies.registries` does not allow."
            yield Violation("STK-15", path, message, "Set its mirror in `images.mirrors`, or allow the registry.")
