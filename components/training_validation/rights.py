"""What a validation needs the permission for."""

from dataclasses import dataclass

from ..cluster.client import ClusterClient
from ..cluster.hook_error import PreflightError
from ..cluster.permissions import is_denied
from ..validation.violation import Violation

TRAINER = "trainer.kubeflow.org"

RUN_RIGHTS = (
    (TRAINER, "trainjobs", ("create", "get", "list", "delete")),
    ("", "pods", ("list",)),
    ("", "pods/log", ("get",)),
    ("", "events", ("list",)),
)
"""API group, resource and verbs that a run needs, all in the namespace of the TrainJob."""

REPORT_RIGHTS = (("", "configmaps", ("get", "create", "patch")),)
"""What the report needs in the same namespace. The provider also uses `watch` and `delete`."""


@dataclass(frozen=True)
class Right:
    """A permission."""

    verb: str
    group: str
    resource: str
    namespace: str | None

    def is_denied(self, access: ClusterClient) -> bool:
        """Whether the API server says that it is not granted. Raises ClusterReadError."""
        return is_denied(access, self.verb, self.group, self.resource, self.namespace)

    def __str__(self) -> str:
        """The permission in messages."""
        return f"{self.verb} {self.resource}" + (f".{self.group}" if self.group else "")

    @property
    def rbac_rule(self) -> str:
        """The RBAC rule that grants it."""
        return f'{{apiGroups: ["{self.group}"], resources: [{self.resource}], verbs: [{self.verb}]}}'


NODES = Right("list", "", "nodes", None)
"""What the phase `nodes` needs. Without it, this phase is not checked."""


def require_rights(access: ClusterClient, namespace: str, *, with_report: bool) -> None:
    """Raise PreflightError with all permissions that are missing in a namespace. Raises ClusterReadError.

    Args:
        access: The cluster.
        namespace: Namespace of the TrainJob.
        with_report: Whether a ConfigMap is written too.
    """
    groups = (*RUN_RIGHTS, *(REPORT_RIGHTS if with_report else ()))
    asked = [Right(verb, group, resource, namespace) for group, resource, verbs in groups for verb in verbs]
    if missing := [right for right in asked if right.is_denied(access)]:
        rules = "".join(f"\n  - {right.rbac_rule}" for right in missing)
        names = ", ".join(map(str, missing))
        message = f"The validation did not run, because permissions are missing in namespace {namespace}: {names}."
        fix = f"Ask for a Role in {namespace} with these rules:{rules}"
        raise PreflightError([Violation("VAL-01", "validation.namespace", message, fix)])
