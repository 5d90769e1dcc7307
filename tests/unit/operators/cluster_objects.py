"""Objects of operators as an API server has them, and the stack that asks for them."""

from typing import Any

from components.cluster.context import StackContext

from ..fake_cluster import Cluster, thing

CRD = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/jobsets.jobset.x-k8s.io"

WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"

NAMESPACE = "/api/v1/namespaces/jobset-system"

OURS = {"training-platform/stack": "training-platform/dev", "training-platform/stack-id": "mine"}

SAME_NAME = {"training-platform/stack": "training-platform/dev", "training-platform/stack-id": "theirs"}

OLD = {"training-platform/stack": "training-platform/dev"}

SERVICE = {"service": {"namespace": "elsewhere", "name": "webhook"}}


def webhook(
    name: str = "validate-jobset-x-k8s-io-v1alpha2-jobset.x-k8s.io", client: Any = SERVICE, **metadata: Any
) -> dict[str, Any]:
    return thing("jobset-webhooks", webhooks=[{"name": name, "clientConfig": client}], **metadata)


def deployment(image: str) -> dict[str, Any]:
    return thing("controller", "elsewhere", spec={"template": {"spec": {"containers": [{"image": image}]}}})


def stack_context(cluster: Cluster) -> StackContext:
    return StackContext(cluster, "training-platform/dev", "mine", "here")


AT = {"training-platform/version": "0.12.0"}
