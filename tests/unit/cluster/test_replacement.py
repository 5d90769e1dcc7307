"""Whether the API server would create what takes the place of an object, asked before the object is deleted."""

from typing import Any

import pytest

from components.cluster.client import Response
from components.cluster.hook_error import PreflightError
from components.cluster.replacement import PROBE_NAME, require_successor

from ..fake_cluster import Cluster

COLLECTION = "/api/v1/namespaces/kubeflow-system/services"
SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "webhooks", "namespace": "kubeflow-system"},
    "spec": {"clusterIP": "10.0.0.1", "type": "NodePort", "ports": [{"port": 443, "nodePort": 30000}]},
}


def asked(manifest: dict[str, Any], answer: Response | None = None) -> list[Any]:
    """What the API server was asked to create."""
    cluster, bodies = Cluster(), list[Any]()

    def say(path: str, body: Any) -> Response:
        assert path == COLLECTION
        bodies.append(body)
        return answer or Response(201, body)

    cluster.answer = say
    require_successor(cluster, COLLECTION, manifest, "Service webhooks", "trainer")
    assert cluster.calls == [("POST (dry run)", COLLECTION)]
    return bodies


def test_dry_run_of_a_successor_uses_another_name() -> None:
    config = {**SERVICE, "kind": "ConfigMap", "data": {"a": "b"}}
    assert asked(config) == [{**config, "metadata": {"name": PROBE_NAME, "namespace": "kubeflow-system"}}]


def test_dry_run_of_a_service_omits_allocated_fields() -> None:
    (body,) = asked(SERVICE)
    assert body["spec"] == {"type": "NodePort", "ports": [{"port": 443}]}


def test_rejected_successor_raises() -> None:
    with pytest.raises(PreflightError) as refused:
        asked(SERVICE, Response(403, {"message": "a policy denies it"}))
    assert str(refused.value) == (
        "trainer: Service webhooks was not replaced, because its successor would be rejected: a policy denies it. "
        "Fix: Fix the cause, and run this again. The existing object is kept. [OPR-17]"
    )


def test_successor_without_a_response_raises() -> None:
    cluster = Cluster()
    cluster.down = True
    with pytest.raises(PreflightError, match=r"would be rejected: the API server does not answer.*OPR-17"):
        require_successor(cluster, COLLECTION, SERVICE, "Service webhooks", "trainer")
