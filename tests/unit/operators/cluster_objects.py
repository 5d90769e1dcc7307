"""Objects of operators as an API server has them, and the stack that asks for them."""

from typing import Any

import pytest

from components.cluster.client import Response
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


def answering(cluster: Cluster, monkeypatch: pytest.MonkeyPatch, method: str, *answers: Response) -> Cluster:
    """A cluster that gives these answers to a method first, and then does as it does."""
    given, as_ever = iter(answers), cluster.request

    def request(asked: str, path: str, *args: Any, **more: Any) -> Response:
        answer = next(given, None) if asked == method else None
        return answer or as_ever(asked, path, *args, **more)

    monkeypatch.setattr(cluster, "request", request)
    return cluster
