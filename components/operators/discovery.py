"""Finds an operator in a cluster: its objects, their owners, and the version that runs."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..cluster.client import ClusterClient
from ..cluster.context import StackContext
from ..cluster.ownership import annotations_of, describe_owner, has_name_of, is_owned_by
from .compatibility import is_downgrade, parse_version
from .spec import OperatorSpec

VERSION_ANNOTATION = "training-platform/version"
"""Annotation of an operator's namespace and CRDs: the installed version."""

OPERATOR = "training-platform/operator"
"""Annotation of an operator's namespace: the operator's section in the settings."""

CLUSTER = "training-platform/cluster"
"""Annotation of an operator's namespace: the cluster in which it was created, by the uid of kube-system."""

ORIGIN = "training-platform/namespace"
"""Annotation of an operator's namespace: `created` by the stack, `found` (it existed before), or `kept` by the
settings. The last two are kept when the operator is removed."""

CREATED, FOUND, KEPT = "created", "found", "kept"

NAMESPACES = "/api/v1/namespaces"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
WEBHOOK_CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"


@dataclass(frozen=True)
class ExistingObject:
    """An object that already exists."""

    what: str
    """Kind and name, as kubectl takes them."""

    owner: str
    """Its owner, in words."""

    def __str__(self) -> str:
        """One line of a list."""
        return f"{self.what}: {self.owner}"


@dataclass(frozen=True)
class InstalledOperator:
    """An operator that runs in the cluster."""

    namespace: str
    """Its namespace."""

    version: str | None
    """Its version: from its image's tag, or else from the annotation of its namespace. None: unknown."""


def find_foreign_objects(stack_context: StackContext, spec: OperatorSpec) -> list[ExistingObject]:
    """The existing objects of an operator that this stack did not create. Raises ClusterReadError.

    If only CRDs exist, and a stack of this name created them, an earlier destroy kept them: they are not foreign.
    """
    there = [*_objects(stack_context.access, spec)]
    others = [(what, thing) for what, thing in there if not is_owned_by(stack_context, thing)]
    if all(what.startswith(CRD_PREFIX) and has_name_of(stack_context, thing) for what, thing in others):
        return []
    return [ExistingObject(what, describe_owner(thing)) for what, thing in others]


CRD_PREFIX = "customresourcedefinition/"


def _objects(access: ClusterClient, spec: OperatorSpec) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if namespace := access.get(f"{NAMESPACES}/{spec.namespace}"):
        yield f"namespace/{spec.namespace}", namespace
    for name in spec.facts.crds:
        if crd := access.get(f"{CRDS}/{name}"):
            yield f"{CRD_PREFIX}{name}", crd
    for configuration in access.list_objects(WEBHOOK_CONFIGURATIONS):
        if _has_webhook(configuration, spec.facts.webhooks):
            yield f"validatingwebhookconfiguration/{configuration['metadata']['name']}", configuration


def _has_webhook(configuration: Mapping[str, Any], names: Collection[str]) -> bool:
    return any(webhook["name"] in names for webhook in configuration.get("webhooks") or ())


def namespace_origin(stack_context: StackContext, spec: OperatorSpec) -> str:
    """The origin of an operator's namespace: `CREATED` by the stack; `FOUND` if it existed before, which its annotation
    records; `KEPT` if the settings keep it. Raises ClusterReadError."""
    there = stack_context.access.get(f"{NAMESPACES}/{spec.namespace}")
    if there is not None:
        remembered = annotations_of(there).get(ORIGIN)
        ours = is_owned_by(stack_context, there) or (
            remembered is None and has_name_of(stack_context, there) and not spec.adopt
        )
        if not ours or remembered == FOUND:
            return FOUND
    return KEPT if spec.keep_namespace else CREATED


def earlier_namespaces(stack_context: StackContext, spec: OperatorSpec) -> list[Mapping[str, Any]]:
    """This operator's namespaces of this stack that have another name: from before a rename. Raises
    ClusterReadError."""
    return [
        namespace
        for namespace in stack_context.access.list_objects(NAMESPACES)
        if is_owned_by(stack_context, namespace)
        and annotations_of(namespace).get(OPERATOR) == spec.facts.section
        and namespace["metadata"]["name"] != spec.namespace
    ]


@dataclass(frozen=True)
class Installed:
    """The version of an operator in a cluster: of a running one, or of the CRDs that it left."""

    version: str | None
    """The newest version found. None: nothing is installed, or nothing has a version."""

    unknown: str | None
    """The object without a version, as kubectl takes it. None: every version is known, or nothing is installed."""


def installed(access: ClusterClient, spec: OperatorSpec) -> Installed:
    """The version of an operator's controller and CRDs in the cluster. Raises ClusterReadError."""
    there = find_installed_operator(access, spec.facts.webhooks, spec.facts.image_name)
    crds = [crd for name in spec.facts.crds if (crd := access.get(f"{CRDS}/{name}"))]
    said = [there.version if there else None, *(annotations_of(crd).get(VERSION_ANNOTATION) for crd in crds)]
    newest: str | None = None
    for version in (each for each in said if each):
        newest = version if newest is None or is_downgrade(newest, version) else newest
    if there and not there.version:
        return Installed(newest, f"namespace {there.namespace}")
    if crds and newest is None:
        return Installed(None, f"crd {crds[0]['metadata']['name']}")
    return Installed(newest, None)


def find_installed_operator(access: ClusterClient, webhooks: Collection[str], image: str) -> InstalledOperator | None:
    """The operator with one of these webhooks and an image of this name, or None. Raises ClusterReadError."""
    for configuration in access.list_objects(WEBHOOK_CONFIGURATIONS):
        for entry in configuration.get("webhooks") or ():
            if entry["name"] in webhooks and (service := entry["clientConfig"].get("service")):
                namespace = service["namespace"]
                return InstalledOperator(namespace, _version(access, namespace, image))
    return None


def _version(access: ClusterClient, namespace: str, image: str) -> str | None:
    for deployment in access.list_objects(f"/apis/apps/v1/namespaces/{namespace}/deployments"):
        for container in deployment["spec"]["template"]["spec"]["containers"]:
            path, _, tag = container["image"].partition("@")[0].rpartition(":")
            if path.rpartition("/")[2] == image and parse_version(tag):
                return str(tag).removeprefix("v")
    return annotations_of(access.get(f"{NAMESPACES}/{namespace}")).get(VERSION_ANNOTATION)
