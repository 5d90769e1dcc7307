"""Finds objects in an operator's namespace that this stack did not create. They would be deleted with the namespace."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ..cluster.api_resources import ApiResources
from ..cluster.context import StackContext
from ..cluster.objects import ObjectRef, bullet_list, pluralize
from ..cluster.ownership import STACK_ID, annotations_of, has_name_of, is_owned_by
from ..validation.violation import Violation

PASSING = frozenset(
    {
        ("", "Event"),
        ("events.k8s.io", "Event"),
        ("", "Endpoints"),
        ("discovery.k8s.io", "EndpointSlice"),
        ("coordination.k8s.io", "Lease"),
        ("apps", "ControllerRevision"),
    }
)
"""Groups and kinds of objects that controllers create for themselves. They hold no work of users."""

OF_THE_CLUSTER = frozenset(
    {
        ("ConfigMap", "kube-root-ca.crt"),
        ("ConfigMap", "istio-ca-root-cert"),
        ("ConfigMap", "openshift-service-ca.crt"),
        ("ServiceAccount", "default"),
        ("ServiceAccount", "builder"),
        ("ServiceAccount", "deployer"),
        ("RoleBinding", "system:deployers"),
        ("RoleBinding", "system:image-builders"),
        ("RoleBinding", "system:image-pullers"),
    }
)
"""Objects that Kubernetes, Istio and OpenShift create in every namespace."""

SERVICE_ACCOUNT_TOKEN = "kubernetes.io/service-account-token"  # noqa: S105 - a type of Secrets


def foreign_objects(namespace: str, stack_context: StackContext) -> list[ObjectRef]:
    """The objects in a namespace that this stack did not create. Raises ClusterReadError.

    Leaves out objects that belong to another object of the namespace (which is listed itself, or the stack's), objects
    that are being deleted, and objects that the cluster creates in every namespace.
    """
    return [*_foreign(namespace, stack_context)]


def _foreign(namespace: str, stack_context: StackContext) -> Iterator[ObjectRef]:
    found = [
        (kind, thing)
        for group, kind, path in ApiResources(stack_context.access).collections(namespace)
        if (group, kind) not in PASSING
        for thing in stack_context.access.list_objects(path)
    ]
    there = {thing["metadata"].get("uid") for _, thing in found}
    for kind, thing in found:
        if not _goes_with_it(kind, thing, there) and not _is_ours(thing, stack_context):
            yield ObjectRef(kind, thing["metadata"]["name"], namespace)


def _goes_with_it(kind: str, thing: Mapping[str, Any], there: Collection[str | None]) -> bool:
    metadata = thing["metadata"]
    return bool(
        any(owner.get("uid") in there for owner in metadata.get("ownerReferences") or ())
        or metadata.get("deletionTimestamp")
        or (kind, metadata["name"]) in OF_THE_CLUSTER
        or (kind == "Secret" and thing.get("type") == SERVICE_ACCOUNT_TOKEN and _is_generated(metadata))
    )


def _is_generated(metadata: Mapping[str, Any]) -> bool:
    """Whether Kubernetes created the token of a service account, which it did before 1.24, under this name."""
    account = annotations_of({"metadata": metadata}).get("kubernetes.io/service-account.name")
    return bool(account) and metadata["name"].startswith(f"{account}-token-")


def _is_ours(thing: Mapping[str, Any], stack_context: StackContext) -> bool:
    # Stacks from before ids existed put only their name on objects.
    return is_owned_by(stack_context, thing) or (
        STACK_ID not in annotations_of(thing) and has_name_of(stack_context, thing)
    )


def contents_violation(section: str, namespace: str, found: list[ObjectRef]) -> Violation:
    """The violation for a namespace that holds these objects and would be deleted."""
    message = (
        f"Namespace {namespace} would be deleted with {pluralize(found, 'object')} that this stack did not create:"
        f"{bullet_list(found)}\n "
    )
    fix = f"Move or delete them, or set `{section}: {{keepNamespace: true}}` to keep the namespace and its contents."
    return Violation("OPR-16", section, message, fix)
