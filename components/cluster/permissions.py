"""What whoever deploys may do in the cluster, and the rule of RBAC that grants it.

A refusal by RBAC has the status of one by a webhook or a policy, 403. What tells them apart is the API server's own
word on the right, which everyone may ask for himself (Kubernetes' ClusterRole `system:basic-user`).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from .client import ClusterClient
from .objects import API_RESOURCES

SELF_SUBJECT_ACCESS_REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


@dataclass(frozen=True)
class Permission:
    """The right to create objects of a kind of Trainer's or JobSet's."""

    kind: str
    """`TrainJob`."""

    namespace: str | None
    """Where. None: the kind has no namespaces."""

    @property
    def group(self) -> str:
        """`trainer.kubeflow.org`."""
        return API_RESOURCES[self.kind][0].split("/")[2]

    @property
    def resource(self) -> str:
        """`trainjobs`."""
        return API_RESOURCES[self.kind][1]

    def __str__(self) -> str:
        """As a message names it."""
        return f"create {self.resource}.{self.group}" + (
            f" in the namespace {self.namespace}" if self.namespace else ""
        )

    @property
    def rule(self) -> str:
        """What grants it, and where that stands."""
        role = f"a Role in {self.namespace}" if self.namespace else "a ClusterRole"
        return f"{role}: {{apiGroups: [{self.group}], resources: [{self.resource}], verbs: [create]}}"

    def is_denied(self, access: ClusterClient) -> bool:
        """Whether the API server says that it is not granted. Raises ClusterReadError."""
        asked = {"verb": "create", "group": self.group, "resource": self.resource, "namespace": self.namespace or ""}
        review = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": asked},
        }
        answer = access.call("POST", SELF_SUBJECT_ACCESS_REVIEWS, review)
        status = answer.body.get("status")
        return answer.ok and isinstance(status, Mapping) and status.get("allowed") is False
