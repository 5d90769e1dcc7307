"""Mirrors, digests and pull secrets, for clusters that cannot reach public registries."""

import re
from functools import partial
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, Field

from components.gpu_node_pool.spec import GpuNodePoolSpec
from components.jobset import JobSetOperatorSpec
from components.k8s.containers import Container, EphemeralContainer
from components.k8s.env import EnvVar
from components.k8s.images import Registry
from components.k8s.names import DnsSubdomain
from components.k8s.pods import PodSpec, PodTemplate
from components.k8s.volumes import LocalObjectReference, Volume
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.runtimes import ClusterTrainingRuntime, TrainingRuntime
from components.runtimes.editing import evolve, revised_spec
from components.runtimes.jobset import ReplicatedJob
from components.validation.errors import rule_error, yaml_repr
from components.validation.model import FrozenList, StrictModel

from .image_reference import ImageReference

OCI = "oci://"

IMAGE_VARIABLES = ("CACHE_IMAGE", "FLUX_VIEW_IMAGE")
"""Variables whose value is an image that Trainer starts: the data cache, and the init container that installs Flux."""

AnyContainer = TypeVar("AnyContainer", Container, EphemeralContainer)
Runtime = ClusterTrainingRuntime | TrainingRuntime
Operator = TypeVar("Operator", JobSetOperatorSpec, KubeflowTrainerSpec)


def _digest(text: str) -> str:
    if not re.fullmatch("sha256:[0-9a-f]{64}", text):
        fix = "Use `sha256:` followed by the 64 digits that the registry shows."
        raise rule_error("STK-19", f"{yaml_repr(text)} is not an image digest.", fix)
    return text


Digest = Annotated[str, AfterValidator(_digest)]


class Images(StrictModel):
    """Mirrors, digests and pull secrets of charts, controllers, device plugins and runtimes."""

    mirrors: dict[Registry, Registry] = Field(default_factory=dict)
    """Mirrors by registry: `{ghcr.io: mirror.example.com/ghcr}`. Docker Hub is `docker.io`. Default: images and charts
    are pulled from upstream's registries."""

    pins: dict[str, Digest] = Field(default_factory=dict)
    """Digests of images and charts by name and tag, of upstream or of the mirror. An image is pulled as
    `name:tag@sha256:...` and a chart as `name@sha256:...`, so a moved tag has no effect. Default: none, tags are
    trusted."""

    digests: Literal["optional", "required"] = "optional"
    """`required`: each image and each chart of a registry must have a digest, in `pins` or in its reference. Default
    `optional`."""

    pull_secrets: FrozenList[DnsSubdomain] = ()
    """Names of Secrets with which images are pulled. They must exist in the namespaces of the operators, in those of
    TrainJobs, and in kube-system for device plugins. Default: none, the nodes have the credentials."""

    def image(self, image: str) -> str:
        """The reference with which an image is pulled: through its mirror, with its digest. An invalid reference is
        returned unchanged."""
        reference = ImageReference.parse(image)
        if reference is None:
            return image
        pulled = image
        if mirror := self.mirrors.get(reference.registry):
            tag = f":{reference.tag}" if reference.tag else ""
            pulled = f"{mirror}/{reference.path}{tag}" + (f"@{reference.digest}" if reference.digest else "")
        pin = self._pin(image) or self._pin(pulled)
        return f"{pulled}@{pin}" if pin and "@" not in image else pulled

    def _pin(self, image: str) -> str | None:
        """The digest in `pins` for a reference, however its registry is written."""
        wanted = ImageReference.parse(image)
        return next((digest for name, digest in self.pins.items() if ImageReference.parse(name) == wanted), None)

    def pool(self, spec: GpuNodePoolSpec) -> GpuNodePoolSpec:
        """A copy of a GPU node pool whose device plugins are pulled through the mirrors."""
        fields = filter(partial(hasattr, spec), ("device_plugin_image", "efa_plugin_image"))
        changes: dict[str, object] = {field: self.image(getattr(spec, field)) for field in fields}
        if self.pull_secrets and changes:
            changes["device_plugin_pull_secrets"] = self.pull_secrets
        return spec.model_copy(update=changes)

    def operator(self, spec: Operator) -> Operator:
        """A copy of an operator whose chart and controller are pulled through the mirrors, unless its settings name
        others."""
        registry = spec.image_registry or self.mirrors.get(spec.facts.upstream_registry)
        image = dict(spec.image_values)
        pinned = ImageReference.parse(self.image(spec.controller_image))
        if pinned and pinned.digest:
            # Charts put the tag behind a colon, whatever it is.
            image["tag"] = f"{pinned.tag}@{pinned.digest}"
        values = {**spec.values, "image": image} if image else spec.values
        pull_secrets = spec.pull_secrets or self.pull_secrets or None
        changes = {"image_registry": registry, "pull_secrets": pull_secrets, "values": values}
        return spec.model_copy(update={"chart": self._chart(spec), **changes})

    def _chart(self, spec: JobSetOperatorSpec | KubeflowTrainerSpec) -> str:
        """The location from which a chart is pulled. Helm 3.18.6, which the Kubernetes provider includes, accepts a
        digest instead of the tag, and compares both if both are set (pkg/registry/client.go, ValidateReference:
        read)."""
        if not spec.chart.startswith(OCI) or "@" in spec.chart:
            return spec.chart if not spec.chart.startswith(OCI) else OCI + self.image(spec.chart.removeprefix(OCI))
        tag = f":{spec.version.replace('+', '_')}"  # as Helm writes it (pkg/registry/reference.go@helm@v3.18.6)
        name, at, digest = self.image(spec.chart.removeprefix(OCI) + tag).partition("@")
        return f"{OCI}{name.removesuffix(tag)}{at}{digest}"

    def runtime(self, runtime: Runtime) -> Runtime:
        """A copy of a runtime whose images are pulled through the mirrors, including those of init containers. The
        runtime itself if nothing changes."""
        if not (self.mirrors or self.pins or self.pull_secrets):
            return runtime
        pull_secrets = tuple(LocalObjectReference(name=secret) for secret in self.pull_secrets) or None

        def change(_: ReplicatedJob, template: PodTemplate) -> PodTemplate:
            return evolve(template, spec=lambda pod: pod and mirrored(pod))

        def mirrored(pod: PodSpec) -> PodSpec:
            return evolve(
                pod,
                containers=self._containers,
                init_containers=self._containers,
                ephemeral_containers=self._containers,
                volumes=self._volumes,
                image_pull_secrets=lambda given: given or pull_secrets,
            )

        return runtime.with_images(revised_spec(runtime, change))

    def _containers(self, containers: tuple[AnyContainer, ...] | None) -> tuple[AnyContainer, ...] | None:
        return containers and tuple(
            evolve(each, image=lambda image: image and self.image(image), env=self._env) for each in containers
        )

    def _env(self, env: tuple[EnvVar, ...] | None) -> tuple[EnvVar, ...] | None:
        return env and tuple(
            evolve(each, value=self.image(each.value)) if each.name in IMAGE_VARIABLES and each.value else each
            for each in env
        )

    def _volumes(self, volumes: tuple[Volume, ...] | None) -> tuple[Volume, ...] | None:
        return volumes and tuple(
            evolve(each, image=evolve(each.image, reference=lambda image: image and self.image(image)))
            if each.image
            else each
            for each in volumes
        )
