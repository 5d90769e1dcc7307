"""Kinds of a cluster's API: where an object is, and what may be in a namespace."""

from typing import Any

import pytest

from components.cluster.api_resources import ApiResources

from ..fake_cluster import DISCOVERY, Cluster


@pytest.mark.parametrize(
    ("version", "kind", "path"),
    [
        ("v1", "Namespace", "/api/v1/namespaces/x"),
        ("v1", "Secret", "/api/v1/namespaces/a/secrets/x"),
        ("v1", "Pod", "/api/v1/namespaces/a/pods/x"),
        ("apps/v1", "Deployment", "/apis/apps/v1/namespaces/a/deployments/x"),
        ("rbac.authorization.k8s.io/v1", "ClusterRole", "/apis/rbac.authorization.k8s.io/v1/clusterroles/x"),
        ("apps/v2", "Deployment", None),
        ("apps/v1", "Unknown", None),
    ],
)
def test_path_of_an_object_comes_from_the_api(version: str, kind: str, path: str | None) -> None:
    manifest = {"apiVersion": version, "kind": kind, "metadata": {"name": "x", "namespace": "a"}}
    assert ApiResources(Cluster()).path(manifest) == path


def test_discovery_is_read_once() -> None:
    cluster = Cluster()
    resources = ApiResources(cluster)
    manifest = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "x", "namespace": "a"}}
    assert resources.path(manifest) == resources.path(manifest)
    assert [path for _, path in cluster.calls] == ["/apis", "/apis/apps/v1"]


def test_kinds_of_a_namespace_are_those_that_are_listed_and_deleted_once_whichever_version_they_have() -> None:
    old = {"groupVersion": "apps/v1beta1", "version": "v1beta1"}
    new = {"groupVersion": "apps/v1", "version": "v1"}
    discovery: dict[str, Any] = {
        "/api/v1": DISCOVERY["/api/v1"],
        "/apis": {"groups": [{"name": "apps", "versions": [old, new], "preferredVersion": new}]},
        "/apis/apps/v1": DISCOVERY["/apis/apps/v1"],
        "/apis/apps/v1beta1": {
            "resources": [
                *DISCOVERY["/apis/apps/v1"]["resources"],
                {"kind": "Old", "name": "olds", "namespaced": True, "verbs": ["list", "delete"]},
            ]
        },
    }
    cluster = Cluster()
    cluster.discovery_answers = discovery
    assert [path.removeprefix("/api") for _, _, path in ApiResources(cluster).collections("a")] == [
        "/v1/namespaces/a/configmaps",
        "/v1/namespaces/a/secrets",
        "/v1/namespaces/a/serviceaccounts",
        "/v1/namespaces/a/events",
        "/v1/namespaces/a/pods",
        "s/apps/v1/namespaces/a/deployments",
        "s/apps/v1beta1/namespaces/a/olds",
    ]
