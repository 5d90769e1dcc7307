"""The versions that a cluster has: of Kubernetes, JobSet and Kueue."""

from typing import Any

from components.admission.cluster_versions import check_cluster_versions

from ..fake_cluster import Cluster, thing
from ..operators.cluster_objects import CRD, WEBHOOKS, deployment, webhook

RELEASE = {"meta.helm.sh/release-name": "jobset"}
INSTALLED = {
    CRD: thing("jobsets.jobset.x-k8s.io"),
    f"{WEBHOOKS}/jobset": webhook(annotations=RELEASE),
    "/apis/apps/v1/namespaces/elsewhere/deployments/controller": deployment("a/jobset:v0.12.0"),
}


def rules(
    cluster: Cluster, jobset_is_external: bool = True, jobset: str | None = None, trainer: str = "2.3.0"
) -> list[Any]:
    return [violation.rule for violation in check_cluster_versions(trainer, jobset_is_external, jobset, cluster)]


def test_external_jobset_must_exist_in_a_compatible_version() -> None:
    assert rules(Cluster()) == ["VER-03"]
    assert rules(Cluster(INSTALLED)) == []
    assert rules(Cluster(INSTALLED), trainer="2.2.0") == ["VER-01"]
    assert rules(Cluster(INSTALLED), jobset="0.11.0") == []
    old = INSTALLED | {"/apis/apps/v1/namespaces/elsewhere/deployments/controller": deployment("a/jobset:v0.7.0")}
    assert rules(Cluster(old)) == ["VER-02"]


def test_external_jobset_without_version_tag_uses_the_settings_version() -> None:
    unnamed = INSTALLED | {
        "/apis/apps/v1/namespaces/elsewhere/deployments/controller": deployment("a/jobset@sha256:00")
    }
    assert rules(Cluster(unnamed)) == ["VER-04"]
    assert rules(Cluster(unnamed), jobset="0.12.0") == []
    assert rules(Cluster(unnamed), jobset="0.11.0") == ["VER-02"]


def test_managed_jobset_is_not_searched_in_the_cluster() -> None:
    assert rules(Cluster(), jobset_is_external=False) == []


def test_incompatible_kueue_is_found() -> None:
    kueue = thing(
        "kueue", webhooks=[{"name": "vclusterqueue.kb.io", "clientConfig": webhook()["webhooks"][0]["clientConfig"]}]
    )
    there = {
        f"{WEBHOOKS}/kueue": kueue,
        "/apis/apps/v1/namespaces/elsewhere/deployments/kueue": deployment("a/kueue:v0.17.3"),
    }
    assert rules(Cluster(there), False, trainer="2.1.0") == ["VER-02"]
    assert rules(Cluster(there), False, trainer="2.2.0") == []


def test_a_newer_kubernetes_is_a_warning() -> None:
    assert rules(Cluster({"/version": {"gitVersion": "v1.99.0"}}), False) == ["VER-01"]


def test_unreadable_versions_are_a_warning() -> None:
    cluster = Cluster()
    cluster.down = True
    assert rules(cluster) == ["VER-05"]
