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

    @property
    def is_pulled(self) -> bool:
        """Whether it comes from a registry. A chart in a folder of the project does not."""
        return self.kind == "image" or self.reference.startswith(OCI)


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
    for artifact in dict.fromkeys(artifacts):
        kind, reference, path = artifact
        if kind == "image" and images.digests == "required" and "@" not in reference:
            message = f"{reference} has no digest, and `images.digests` requires one."
            yield Violation(NOT_PINNED, path, message, f"Add `{reference}: sha256:...` to `images.pins`.")
        if policies.registries and artifact.is_pulled and not _allowed(reference, policies):
            message = f"{reference} comes from a registry that `policies.registries` does not have."
            yield Violation(NOT_ALLOWED, path, message, "Name its mirror in `images.mirrors`, or allow the registry.")


def _allowed(reference: str, policies: Policies) -> bool:
    return any(reference.removeprefix(OCI).startswith(f"{registry}/") for registry in policies.registries)
