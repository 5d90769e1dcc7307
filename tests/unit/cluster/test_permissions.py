"""The permission to create an object, as RBAC grants it and as the API server reviews it."""

from typing import Any

import pytest

from components.cluster.client import ClusterReadError, Response
from components.cluster.permissions import SELF_SUBJECT_ACCESS_REVIEWS, Permission

from ..fake_cluster import Cluster

CLUSTER_WIDE, NAMESPACED = Permission("ClusterTrainingRuntime", None), Permission("TrainJob", "default")


def test_permission_has_a_text_and_the_rule_that_grants_it() -> None:
    assert [str(CLUSTER_WIDE), CLUSTER_WIDE.rbac_rule] == [
        "create clustertrainingruntimes.trainer.kubeflow.org",
        "a ClusterRole: {apiGroups: [trainer.kubeflow.org], resources: [clustertrainingruntimes], verbs: [create]}",
    ]
    assert [str(NAMESPACED), NAMESPACED.rbac_rule] == [
        "create trainjobs.trainer.kubeflow.org in namespace default",
        "a Role in default: {apiGroups: [trainer.kubeflow.org], resources: [trainjobs], verbs: [create]}",
    ]


@pytest.mark.parametrize(
    ("code", "body", "denied"),
    [
        (201, {"status": {"allowed": False}}, True),
        (201, {"status": {"allowed": True}}, False),
        (201, {"status": {}}, False),
        (201, {"status": None}, False),
        (201, {}, False),
        (403, {"status": {"allowed": False}}, False),
    ],
)
def test_only_a_review_that_says_so_denies_a_permission(code: int, body: Any, denied: bool) -> None:
    cluster, asked = Cluster(), []

    def answer(path: str, review: Any) -> Response:
        asked.append((path, review["spec"]["resourceAttributes"]))
        return Response(code, body)

    cluster.answer = answer
    assert NAMESPACED.is_denied(cluster) is denied
    attributes = {"verb": "create", "group": "trainer.kubeflow.org", "resource": "trainjobs", "namespace": "default"}
    assert asked == [(SELF_SUBJECT_ACCESS_REVIEWS, attributes)]


def test_unreadable_cluster_denies_nothing() -> None:
    cluster = Cluster()
    cluster.down = True
    with pytest.raises(ClusterReadError, match="does not answer"):
        CLUSTER_WIDE.is_denied(cluster)
