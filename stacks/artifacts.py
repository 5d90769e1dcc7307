"""Every image and chart of a stack, as it is pulled."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from components.gpu_node_pool.pools import GpuNodePoolSpec
from components.operator_spec import OperatorSpec
from components.runtimes.copies import pod_of, replicated_jobs
from components.violation import Violation

from .images import IMAGE_VARIABLES, OCI, Images
from .policies import Policies
from .runtime_settings import Runtime

NOT_PINNED, NOT_ALLOWED = "STK-14", "STK-15"


class Artifact(NamedTuple):
    """An image or a chart."""

    kind: str
    """`image` or `chart`."""

    reference: str
    """`ghcr.io/kubeflow/trainer/mlx-runtime:v2.3.0`, or where a chart is, with its version."""

    path: str
    """What in the stack's file it is for."""


def of_pool(path: str, spec: GpuNodePoolSpec) -> Iterator[Artifact]:
    """The device plugins of a pool."""
    for plugin in getattr(spec, "device_plugins", ()):
        yield Artifact("image", plugin.image, path)


def of_operator(path: str, spec: OperatorSpec) -> Iterator[Artifact]:
    """An operator's chart and its controller."""
    yield Artifact("chart", f"{spec.chart}:{spec.version}", path)
    yield Artifact("image", spec.controller_image, path)


def of_runtime(path: str, runtime: Runtime) -> Iterator[Artifact]:
    """The containers of a runtime, init containers and volumes included."""
    for pod in filter(None, map(pod_of, replicated_jobs(runtime))):
        for container in (*(pod.init_containers or ()), *pod.containers):
            named = (each.value for each in container.env or () if each.name in IMAGE_VARIABLES)
            yield from (Artifact("image", image, path) for image in (container.image, *named) if image)
        for volume in pod.volumes or ():
            if volume.image and volume.image.reference:
                yield Artifact("image", volume.image.reference, path)


def forbidden(artifacts: Iterable[Artifact], images: Images, policies: Policies) -> Iterator[Violation]:
    """What of it the stack's own rules forbid: tags without a digest, registries that are not allowed."""
    for kind, reference, path in dict.fromkeys(artifacts):
        if kind == "image" and images.digests == "required" and "@" not in reference:
            message = f"{reference} has no digest, and `images.digests` requires one."
            yield Violation(NOT_PINNED, path, message, f"Add `{reference}: sha256:...` to `images.pins`.")
        if policies.registries and not _allowed(kind, reference, policies):
            message = f"{reference} comes from a registry that `policies.registries` does not have."
            yield Violation(NOT_ALLOWED, path, message, "Name its mirror in `images.mirrors`, or allow the registry.")


def _allowed(kind: str, reference: str, policies: Policies) -> bool:
    # A chart in a folder of the project is pulled from nowhere.
    if kind == "chart" and not reference.startswith(OCI):
        return True
    return any(reference.removeprefix(OCI).startswith(f"{registry}/") for registry in policies.registries)
