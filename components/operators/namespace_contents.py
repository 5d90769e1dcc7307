"""Finds objects in an operator's namespace that this stack did not create. They would be deleted with the namespace."""

from collections.abc import Iterator, Mapping
from typing import Any

from ..cluster.api_resources import ApiResources
from ..cluster.context import StackContext
from ..cluster.objects import ObjectRef, bullet_list, pluralize
from ..cluster.ownership import STACK_ID, annotations_of, has_name_of, is_owned_by
from ..validation.violation import Violation

PASSING = frozenset({"Event", "Lease", "Endpoints", "EndpointSlice", "ControllerRevision"})
"""Kinds that controllers create for themselves. They hold no work of users."""

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


def foreign_objects(namespace: str, tenancy: StackContext) -> list[ObjectRef]:
    """The objects in a namespace that this stack did not create. Raises ClusterReadError.

    Leaves out objects that belong to another object (which is listed itself), objects that are being deleted, and
    objects that the cluster creates in every namespace.
    """
    return [*_foreign(namespace, tenancy)]


def _foreign(namespace: str, tenancy: StackContext) -> Iterator[ObjectRef]:
    for kind, path in ApiResources(tenancy.access).collections(namespace):
        if kind not in PASSING:
            for thing in tenancy.access.items(path):
                if not _goes_with_it(kind, thing) and not _is_ours(thing, tenancy):
                    yield ObjectRef(kind, thing["metadata"]["name"], namespace)


def _goes_with_it(kind: str, thing: Mapping[str, Any]) -> bool:
    metadata = thing["metadata"]
    return bool(
        metadata.get("ownerReferences")
        or metadata.get("deletionTimestamp")
        or (kind, metadata["name"]) in OF_THE_CLUSTER
        or (kind == "Secret" and thing.get("type") == SERVICE_ACCOUNT_TOKEN)
    )


def _is_ours(thing: Mapping[str, Any], tenancy: StackContext) -> bool:
    # Stacks from before ids existed put only their name on objects.
    return is_owned_by(tenancy, thing) or (STACK_ID not in annotations_of(thing) and has_name_of(tenancy, thing))


def contents_violation(section: str, namespace: str, found: list[ObjectRef]) -> Violation:
    """The violation for a namespace that holds these objects and would be deleted."""
    message = (
        f"Namespace {namespace} would be deleted with {pluralize(found, 'object')} that this stack did not create:"
        f"{bullet_list(found)}\n "
    )
    fix = f"Move or delete them, or set `{section}: {{keepNamespace: true}}` to keep the namespace and its contents."
    return Violation("OPR-16", section, message, fix)
