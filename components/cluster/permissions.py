"""Permissions of the deploying identity, and the RBAC rules that grant them.

A rejection by RBAC has the same status, 403, as one by a webhook or policy. The API server's access review tells them
apart. Everyone may request one for themselves (Kubernetes' ClusterRole `system:basic-user`).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from .client import ClusterClient
from .objects import API_RESOURCES

SELF_SUBJECT_ACCESS_REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


@dataclass(frozen=True)
class Permission:
    """The permission to create objects of a kind of Trainer or JobSet."""

    kind: str
    """Kind, such as `TrainJob`."""

    namespace: str | None
    """Namespace. None for a cluster-scoped kind."""

    @property
    def group(self) -> str:
        """`trainer.kubeflow.org`."""
        return API_RESOURCES[self.kind][0].split("/")[2]

    @property
    def resource(self) -> str:
        """`trainjobs`."""
        return API_RESOURCES[self.kind][1]

    def __str__(self) -> str:
        """The permission in messages."""
        return f"create {self.resource}.{self.group}" + (f" in namespace {self.namespace}" if self.namespace else "")

    @property
    def rbac_rule(self) -> str:
        """The RBAC rule that grants it, and where it belongs."""
        role = f"a Role in {self.namespace}" if self.namespace else "a ClusterRole"
        return f"{role}: {{apiGroups: [{self.group}], resources: [{self.resource}], verbs: [create]}}"

    def is_denied(self, access: ClusterClient) -> bool:
        """Whether the API server says that the permission is not granted. Raises ClusterReadError."""
        return is_denied(access, "create", self.group, self.resource, self.namespace)


def is_denied(access: ClusterClient, verb: str, group: str, resource: str, namespace: str | None) -> bool:
    """Whether the API server says that the deploying identity may not do something. Raises ClusterReadError.

    Args:
        access: The cluster.
        verb: Verb, such as `create`.
        group: API group; empty for the core group.
        resource: Plural of the kind, with its subresource: `pods/log`.
        namespace: Namespace. None for a cluster-scoped kind.
    """
    name, _, subresource = resource.partition("/")
    asked = {"verb": verb, "group": group, "resource": name, "namespace": namespace or ""}
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": asked | ({"subresource": subresource} if subresource else {})},
    }
    answer = access.request("POST", SELF_SUBJECT_ACCESS_REVIEWS, review)
    status = answer.body.get("status")
    return answer.ok and isinstance(status, Mapping) and status.get("allowed") is False
