"""Before an operator or a runtime comes: what is there, whose it is, whether the version goes back."""

from typing import Any

import pytest

from components.api_objects import ApiObject
from components.jobset import JobSetSpec
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.neighbours import neighbour_findings
from components.operator_entry import require_no_downgrade, require_room
from components.runtime_hooks import make_room
from components.tenancy import Tenancy
from components.veto import Veto

from .cluster import Cluster, thing
from .test_presence import CRD, NAMESPACE, OURS, WEBHOOKS, deployment, webhook

OWNER = "training-platform/dev"
RELEASE = {"meta.helm.sh/release-name": "jobset"}
INSTALLED = {
    CRD: thing("jobsets.jobset.x-k8s.io"),
    f"{WEBHOOKS}/jobset": webhook(annotations=RELEASE),
    "/apis/apps/v1/namespaces/elsewhere/deployments/controller": deployment("a/jobset:v0.12.0"),
}


def said(cluster: Cluster, spec: JobSetSpec) -> str:
    with pytest.raises(Veto) as refused:
        require_room("jobset", spec, Tenancy(cluster, OWNER))
    return str(refused.value)


def test_an_operator_that_is_there_is_not_taken_over_by_accident() -> None:
    assert said(Cluster(INSTALLED), JobSetSpec()) == (
        "jobset.adopt: JobSet is in the cluster already, and would be taken over:\n"
        "  customresourcedefinition/jobsets.jobset.x-k8s.io: made by nobody who left a name\n"
        "  validatingwebhookconfiguration/jobset-webhooks: of the Helm release jobset\n"
        "  Fix: Write `jobset: {adopt: true}` to take it over, or `mode: external` to leave it to whoever runs it, "
        "or remove what is there. [OPR-02]"
    )


def test_it_is_taken_over_when_the_settings_say_so() -> None:
    require_room("jobset", JobSetSpec(adopt=True), Tenancy(Cluster(INSTALLED), OWNER))


def test_what_a_destroy_of_the_same_stack_left_is_taken_over() -> None:
    left = {
        CRD: thing("jobsets.jobset.x-k8s.io", annotations=OURS),
        NAMESPACE: thing("jobset-system", annotations=OURS),
    }
    require_room("jobset", JobSetSpec(), Tenancy(Cluster(left), OWNER))


def test_an_older_version_does_not_follow_the_one_that_is_adopted() -> None:
    assert said(Cluster(INSTALLED), JobSetSpec(adopt=True, version="0.11.1")) == (
        "jobset.version: JobSet 0.12.0 is installed, and 0.11.1 is older: what the newer one wrote may be lost. "
        "Fix: Write 0.12.0 or a newer one, or `allowDowngrade: true` beside it. [OPR-03]"
    )


def test_where_nothing_can_be_seen_nothing_is_made() -> None:
    cluster = Cluster()
    cluster.down = True
    assert said(cluster, JobSetSpec()).startswith("jobset: What is in the cluster of JobSet cannot be told:")


@pytest.mark.parametrize(("installed", "version"), [(None, "2.3.0"), ("2.3.0", "2.3.0"), ("2.2.1", "2.3.0")])
def test_a_version_goes_up_or_stays(installed: str | None, version: str) -> None:
    require_no_downgrade("trainer", KubeflowTrainerSpec(version=version), installed)


def test_a_version_goes_back_only_when_the_settings_say_so() -> None:
    with pytest.raises(Veto):
        require_no_downgrade("trainer", KubeflowTrainerSpec(version="2.2.1"), "2.3.0")
    require_no_downgrade("trainer", KubeflowTrainerSpec(version="2.2.1", allow_downgrade=True), "2.3.0")


CLUSTER_WIDE = {"kind": "ClusterTrainingRuntime", "metadata": {"name": "mine"}}
NAMESPACED = {"kind": "TrainingRuntime", "metadata": {"name": "mine", "namespace": "team-a"}}


def test_a_runtimes_path_is_the_apis() -> None:
    api = "/apis/trainer.kubeflow.org/v1alpha1"
    assert ApiObject.of(CLUSTER_WIDE).path == f"{api}/clustertrainingruntimes/mine"
    assert ApiObject.of(NAMESPACED).path == f"{api}/namespaces/team-a/trainingruntimes/mine"


def made_room(there: dict[str, Any], adopted: bool = False, preview: bool = False) -> list[str]:
    """What is left of these objects."""
    cluster = Cluster(there)
    make_room(ApiObject.of(CLUSTER_WIDE), Tenancy(cluster, OWNER), adopted, preview)
    return list(cluster.objects)


def test_a_runtime_of_others_is_not_replaced_by_accident() -> None:
    path = ApiObject.of(CLUSTER_WIDE).path
    theirs = {path: thing("mine", annotations=RELEASE)}
    for preview in (True, False):
        with pytest.raises(Veto) as refused:
            made_room(theirs, preview=preview)
        assert str(refused.value) == (
            "runtimes.mine: There is a runtime `mine` in the cluster already, of the Helm release jobset. It would be "
            "replaced. Fix: Write `runtimes: {mine: {adopt: true}}` to replace it, or give yours another name. [OPR-08]"
        )
    assert made_room(theirs, adopted=True, preview=True) == [path]
    assert made_room(theirs, adopted=True) == []
    assert made_room({}) == []


def test_a_runtime_that_a_killed_engine_made_is_made_again() -> None:
    path = ApiObject.of(CLUSTER_WIDE).path
    ours = {path: thing("mine", annotations=OURS)}
    assert made_room(ours, preview=True) == [path]
    assert made_room(ours) == []


def rules(cluster: Cluster, others_jobset: bool = True, jobset: str | None = None, trainer: str = "2.3.0") -> list[Any]:
    return [finding.rule for finding in neighbour_findings(trainer, others_jobset, jobset, cluster)]


def test_a_jobset_of_others_must_be_there_in_a_version_that_fits() -> None:
    assert rules(Cluster()) == ["VER-03"]
    assert rules(Cluster(INSTALLED)) == []
    assert rules(Cluster(INSTALLED), trainer="2.2.0") == ["VER-01"]
    assert rules(Cluster(INSTALLED), jobset="0.11.0") == []
    old = INSTALLED | {"/apis/apps/v1/namespaces/elsewhere/deployments/controller": deployment("a/jobset:v0.7.0")}
    assert rules(Cluster(old)) == ["VER-02"]


def test_a_jobset_whose_image_says_no_version_is_what_the_settings_say() -> None:
    unnamed = INSTALLED | {
        "/apis/apps/v1/namespaces/elsewhere/deployments/controller": deployment("a/jobset@sha256:00")
    }
    assert rules(Cluster(unnamed)) == ["VER-04"]
    assert rules(Cluster(unnamed), jobset="0.12.0") == []
    assert rules(Cluster(unnamed), jobset="0.11.0") == ["VER-02"]


def test_the_stacks_own_jobset_is_not_looked_for() -> None:
    assert rules(Cluster(), others_jobset=False) == []


def test_a_kueue_that_does_not_fit_is_found() -> None:
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


def test_where_versions_cannot_be_seen_it_goes_on_with_a_warning() -> None:
    cluster = Cluster()
    cluster.down = True
    assert rules(cluster) == ["VER-05"]
