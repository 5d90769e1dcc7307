"""What is in a cluster of an operator: which of its objects, whose they are, and which version runs."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .cluster_access import ClusterAccess
from .operator_spec import OperatorSpec

OWNER = "training-platform/stack"
"""Annotation of what a stack makes, by which it knows it again: `<project>/<stack>`."""

VERSION = "training-platform/version"
"""Annotation of an operator's namespace: the version that is installed there."""

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
WEBHOOK_CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"


@dataclass(frozen=True)
class Found:
    """An object that is already there."""

    what: str
    """Kind and name, as kubectl takes them."""

    owner: str
    """Whose it is, in words."""

    def __str__(self) -> str:
        """The line of a list."""
        return f"{self.what}: {self.owner}"


@dataclass(frozen=True)
class Running:
    """An operator that runs in the cluster."""

    namespace: str
    """Its namespace."""

    version: str | None
    """Its version, as its image's tag says it. None: it says none."""


def owner_of(thing: Mapping[str, Any]) -> str:
    """Whose an object is, as far as it says so: what tools leave on the objects that they make."""
    metadata = thing["metadata"]
    marks = {**(metadata.get("labels") or {}), **(metadata.get("annotations") or {})}
    if mark := next(filter(marks.get, MARKS), None):
        return MARKS[mark].format(marks[mark].partition(":")[0])
    managers = sorted({entry["manager"] for entry in metadata.get("managedFields") or () if entry.get("manager")})
    if any(manager.startswith(("pulumi-kubernetes", "pulumi-resource-kubernetes")) for manager in managers):
        return "of another Pulumi stack"
    if any(manager.startswith("kubectl") for manager in managers):
        return "made with kubectl"
    return f"made by {', '.join(managers) or 'nobody who left a name'}"


MARKS = {
    OWNER: "of the stack {}",
    "meta.helm.sh/release-name": "of the Helm release {}",
    "argocd.argoproj.io/tracking-id": "of the Argo CD application {}",
    "kustomize.toolkit.fluxcd.io/name": "of the Flux kustomization {}",
    "helm.toolkit.fluxcd.io/name": "of the Flux release {}",
}
"""Labels and annotations that tools leave on what they make, and what each says."""


def is_of(owner: str, thing: Mapping[str, Any]) -> bool:
    """Whether a stack made an object."""
    return bool((thing["metadata"].get("annotations") or {}).get(OWNER) == owner)


def of_others(access: ClusterAccess, spec: OperatorSpec, owner: str) -> list[Found]:
    """What is already there of an operator, without what the stack made itself. Raises NoAnswer."""
    return [Found(what, owner_of(thing)) for what, thing in _objects(access, spec) if not is_of(owner, thing)]


def _objects(access: ClusterAccess, spec: OperatorSpec) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if namespace := access.get(f"/api/v1/namespaces/{spec.namespace}"):
        yield f"namespace/{spec.namespace}", namespace
    for name in spec.crds:
        if crd := access.get(f"{CRDS}/{name}"):
            yield f"customresourcedefinition/{name}", crd
    for configuration in access.items(WEBHOOK_CONFIGURATIONS):
        if _has_webhook(configuration, spec.webhooks):
            yield f"validatingwebhookconfiguration/{configuration['metadata']['name']}", configuration


def _has_webhook(configuration: Mapping[str, Any], names: Collection[str]) -> bool:
    return any(webhook["name"] in names for webhook in configuration.get("webhooks") or ())


def running(access: ClusterAccess, webhooks: Collection[str], image: str) -> Running | None:
    """The operator that has one of these webhooks, and whose image has this name. None where none runs. Raises
    NoAnswer."""
    for configuration in access.items(WEBHOOK_CONFIGURATIONS):
        for entry in configuration.get("webhooks") or ():
            if entry["name"] in webhooks and (service := entry["clientConfig"].get("service")):
                namespace = service["namespace"]
                return Running(namespace, _version(access, namespace, image))
    return None


def _version(access: ClusterAccess, namespace: str, image: str) -> str | None:
    for deployment in access.items(f"/apis/apps/v1/namespaces/{namespace}/deployments"):
        for container in deployment["spec"]["template"]["spec"]["containers"]:
            path, _, tag = container["image"].partition("@")[0].rpartition(":")
            if path.rpartition("/")[2] == image:
                return str(tag).removeprefix("v")
    return None
