"""Where images and charts are pulled from, for clusters that do not reach the public registries."""

from functools import partial
from typing import TypeVar

from pydantic import Field

from components.gpu_node_pool.pools import GpuNodePoolSpec
from components.jobset import JobSetSpec
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.model import Model
from components.runtimes.containers import Container
from components.runtimes.copies import AnyRuntime, revised, with_pods
from components.runtimes.jobset import ReplicatedJob
from components.runtimes.pods import PodSpec
from components.runtimes.registry import Registry

OCI = "oci://"

Operator = TypeVar("Operator", JobSetSpec, KubeflowTrainerSpec)


class Images(Model):
    """Mirrors of registries. They hold for charts, controllers, device plugins and runtimes alike."""

    mirrors: dict[Registry, Registry] = Field(default_factory=dict)
    """A registry as images name it (`ghcr.io`; Docker Hub is `docker.io`), and what stands in its place
    (`mirror.example.com/ghcr`). Default: every image and chart comes from where upstream has it."""

    def image(self, image: str) -> str:
        """Where an image is pulled from."""
        registry, _, path = image.partition("/")
        # The rule of container runtimes: without a dot or a port the first part is a folder of Docker Hub.
        if not path or ("." not in registry and ":" not in registry and registry != "localhost"):
            registry, path = "docker.io", image if path else f"library/{image}"
        return f"{self.mirrors[registry]}/{path}" if registry in self.mirrors else image

    def pool(self, spec: GpuNodePoolSpec) -> GpuNodePoolSpec:
        """A copy of a GPU node pool whose device plugins come from the mirrors."""
        fields = filter(partial(hasattr, spec), ("device_plugin_image", "efa_plugin_image"))
        return spec.model_copy(update={field: self.image(getattr(spec, field)) for field in fields})

    def operator(self, spec: Operator) -> Operator:
        """A copy of an operator whose chart and controller come from the mirrors, unless it names others itself."""
        chart = spec.chart if not spec.chart.startswith(OCI) else OCI + self.image(spec.chart.removeprefix(OCI))
        registry = spec.image_registry or self.mirrors.get(spec.upstream_registry)
        return spec.model_copy(update={"chart": chart, "image_registry": registry})

    def runtime(self, runtime: AnyRuntime) -> AnyRuntime:
        """A copy of a runtime whose containers, init containers included, come from the mirrors."""

        def mirrored(containers: tuple[Container, ...] | None) -> tuple[Container, ...] | None:
            return containers and tuple(
                revised(container, image=lambda image: image and self.image(image)) for container in containers
            )

        def change(_: ReplicatedJob, pod: PodSpec) -> PodSpec:
            return revised(pod, containers=mirrored, init_containers=mirrored)

        return with_pods(runtime, change)
