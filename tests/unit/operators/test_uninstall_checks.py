"""Before operators go: what stops, what is lost, what holds."""

from typing import Any

import pytest

from components.cluster.client import Response
from components.cluster.hook_error import PreflightError
from components.cluster.objects import ObjectRef
from components.jobset import JobSetOperatorSpec
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.operators.discovery import CRDS
from components.operators.finalizers import delete_if_blocked
from components.operators.spec import OperatorSpec
from components.operators.uninstall_checks import Going, destroy_crds, is_finished, require_safe_uninstall
from components.runtimes.api import IN_USE_FINALIZER

from ..fake_cluster import Cluster, thing
from .cluster_objects import OURS, answering, stack_context

TRAINER, JOBSET = "/apis/trainer.kubeflow.org/v1alpha1", "/apis/jobset.x-k8s.io/v1alpha2"
OWN = [{"kind": "ClusterTrainingRuntime", "metadata": {"name": "deepspeed"}}]
DONE = {"conditions": [{"type": "Complete", "status": "True"}]}


def job(name: str, **fields: Any) -> dict[str, Any]:
    return {f"{TRAINER}/namespaces/a/trainjobs/{name}": thing(name, "a", **fields)}


def operators(**spec: Any) -> dict[str, OperatorSpec]:
    return {"jobset": JobSetOperatorSpec(), "trainer": KubeflowTrainerSpec(**spec)}


BOTH = {"jobset": "jobset-system", "trainer": "kubeflow-system"}


def leave(stack: dict[str, OperatorSpec], cluster: Cluster, going: Going = BOTH) -> None:
    require_safe_uninstall(going, stack, OWN, stack_context(cluster))


def said(cluster: Cluster, stack: dict[str, OperatorSpec], going: Going = BOTH) -> str:
    with pytest.raises(PreflightError) as refused:
        leave(stack, cluster, going)
    assert not any(method in ("DELETE", "PATCH") for method, _ in cluster.calls)
    return str(refused.value)


@pytest.mark.parametrize(
    ("conditions", "finished"),
    [
        ([], False),
        ([{"type": "Suspended", "status": "True"}], False),
        ([{"type": "Suspended", "status": "False"}, {"type": "Complete", "status": "True"}], True),
        ([{"type": "Complete", "status": "False"}], False),
        ([{"type": "Failed", "status": "True"}], True),
    ],
)
def test_a_trainjob_is_finished_when_it_says_so(conditions: list[Any], finished: bool) -> None:
    assert is_finished(thing("x", status={"conditions": conditions})) == finished
    assert not is_finished(thing("x"))
    assert not is_finished(thing("x", status=None))


def test_a_jobset_is_finished_when_it_says_so() -> None:
    for condition, finished in (("Completed", True), ("Failed", True), ("Complete", False), ("StartupPolicy", False)):
        jobset = thing("x", status={"conditions": [{"type": condition, "status": "True"}]})
        assert is_finished(jobset, "JobSet") == finished


def test_unused_operators_can_be_removed() -> None:
    leave(operators(), Cluster())
    leave(operators(), Cluster(job("old", status=DONE)))


def test_unfinished_trainjob_stops_a_destroy_and_is_listed() -> None:
    assert said(Cluster(job("mine") | job("old", status=DONE)), operators()) == (
        "trainer: 1 unfinished TrainJob would stop:\n  TrainJob a/mine\n"
        "  Fix: Wait for them, delete them, or set `trainer: {interruptTrainJobs: true}` to interrupt them. "
        "[OPR-05]"
    )


BARE = {f"{JOBSET}/namespaces/a/jobsets/bare": thing("bare", "a")}
MADE = {f"{JOBSET}/namespaces/a/jobsets/made": thing("made", "a", ownerReferences=[{"kind": "TrainJob"}])}
ENDED = {
    f"{JOBSET}/namespaces/a/jobsets/e": thing("e", "a", status={"conditions": [{"type": "Failed", "status": "True"}]})
}


def test_an_unfinished_jobset_without_a_trainjob_stops_jobset_and_is_named() -> None:
    stack: dict[str, OperatorSpec] = {"jobset": JobSetOperatorSpec()}
    assert said(Cluster(BARE | MADE | ENDED), stack, {"jobset": "jobset-system"}) == (
        "jobset: 1 unfinished JobSet without a TrainJob would stop:\n  JobSet a/bare\n"
        "  Fix: Wait for them, delete them, or set `jobset: {interruptTrainJobs: true}` to interrupt them. "
        "[OPR-05]"
    )
    assert said(Cluster(BARE | job("mine")), operators()).count("[OPR-05]") == 2
    leave(stack, Cluster(MADE | ENDED), {"jobset": "jobset-system"})
    leave({"jobset": JobSetOperatorSpec(interrupt_train_jobs=True)}, Cluster(BARE), {"jobset": "jobset-system"})
    # JobSet stays where Trainer alone goes.
    leave(operators(), Cluster(BARE), {"trainer": "kubeflow-system"})


CREATED = OURS | {"training-platform/namespace": "created"}
NAMESPACE = "/api/v1/namespaces/jobset-system"
SECRET = {f"{NAMESPACE}/secrets/keys": thing("keys", "jobset-system")}


def test_foreign_objects_in_an_operators_namespace_stop_a_destroy_and_are_listed() -> None:
    there = {NAMESPACE: thing("jobset-system", annotations=CREATED)} | SECRET
    for stack in (operators(), operators(interrupt_train_jobs=True), {}):
        assert said(Cluster(there), stack) == (
            "jobset: Namespace jobset-system would be deleted with 1 object that this stack did not create:\n"
            "  Secret jobset-system/keys\n  Fix: Move or delete them, or set `jobset: {keepNamespace: true}` to "
            "keep the namespace and its contents. [OPR-16]"
        )


@pytest.mark.parametrize("origin", ["found", "kept"])
def test_kept_namespace_is_not_checked(origin: str) -> None:
    stays = {NAMESPACE: thing("jobset-system", annotations=OURS | {"training-platform/namespace": origin})}
    leave(operators(), Cluster(stays | SECRET))
    created = {NAMESPACE: thing("jobset-system", annotations=CREATED)}
    leave({"jobset": JobSetOperatorSpec(keep_namespace=True)}, Cluster(created | SECRET))
    said(Cluster(created | SECRET), {"jobset": JobSetOperatorSpec(keep_namespace=True, namespace="renamed")})
    leave(operators(), Cluster(SECRET))


def test_finished_trainjob_in_an_operators_namespace_is_deleted_only_when_confirmed() -> None:
    there = {
        "/api/v1/namespaces/kubeflow-system": thing("kubeflow-system", annotations=CREATED),
        f"{TRAINER}/namespaces/kubeflow-system/trainjobs/results": thing("results", "kubeflow-system", status=DONE),
    }
    assert "TrainJob kubeflow-system/results" in said(Cluster(there), operators())
    cluster = Cluster(there)
    leave(operators(destroy_crds=True, confirmed_object_loss=1), cluster)
    assert [*cluster.objects] == ["/api/v1/namespaces/kubeflow-system"]


def test_long_lists_name_some_objects_and_count_the_rest() -> None:
    many = {path: there for index in range(12) for path, there in job(f"job-{index}").items()}
    lines = said(Cluster(many), operators()).splitlines()
    assert lines[0] == "trainer: 12 unfinished TrainJobs would stop:"
    assert lines[10:12] == ["  TrainJob a/job-9", "  and 2 more"]


def test_interrupt_setting_allows_removal_and_keeps_trainjobs() -> None:
    cluster = Cluster(job("mine"))
    leave(operators(interrupt_train_jobs=True), cluster)
    assert cluster.objects == job("mine")


def test_unreadable_cluster_stops_the_removal() -> None:
    cluster = Cluster()
    cluster.down = True
    assert said(cluster, operators()).startswith(
        "trainer: Nothing was deleted, because the cluster could not be checked:"
    )


def test_unreadable_cluster_keeps_the_crds() -> None:
    cluster = Cluster()
    cluster.down = True
    stack = operators(interrupt_train_jobs=True, destroy_crds=True)
    assert said(cluster, stack).startswith("trainer: Nothing was deleted, because the cluster could not be checked:")


def test_stack_without_operators_still_stops_for_unfinished_trainjobs() -> None:
    assert said(Cluster(job("mine")), {}) == (
        "trainer: 1 unfinished TrainJob would stop:\n  TrainJob a/mine\n  Fix: Wait for them, or delete them. [OPR-05]"
    )
    leave({}, Cluster(job("old", status=DONE)))


THEIRS = {
    **job("old", status=DONE),
    f"{TRAINER}/clustertrainingruntimes/deepspeed": thing("deepspeed"),
    f"{TRAINER}/clustertrainingruntimes/theirs": thing("theirs"),
    f"{TRAINER}/namespaces/b/trainingruntimes/own": thing("own", "b"),
    f"{JOBSET}/namespaces/a/jobsets/old": thing("old", "a", ownerReferences=[{"kind": "TrainJob"}]),
    f"{JOBSET}/namespaces/a/jobsets/bare": thing(
        "bare", "a", status={"conditions": [{"type": "Completed", "status": "True"}]}
    ),
}


def test_objects_lost_with_crds_are_listed_and_their_number_must_be_confirmed() -> None:
    assert said(Cluster(THEIRS), operators(destroy_crds=True)) == (
        "trainer.confirmedObjectLoss: `destroyCrds` would delete 3 objects, and 0 are confirmed:\n"
        "  TrainJob a/old\n  TrainingRuntime b/own\n  ClusterTrainingRuntime theirs\n"
        "  Fix: Set `trainer: {destroyCrds: true, confirmedObjectLoss: 3}`, or remove `destroyCrds`. [OPR-06]"
    )
    assert "3 objects, and 4 are confirmed" in said(
        Cluster(THEIRS), operators(destroy_crds=True, confirmed_object_loss=4)
    )


def test_jobsets_that_no_trainjob_made_are_lost_with_jobsets_crd() -> None:
    stack: dict[str, OperatorSpec] = {"jobset": JobSetOperatorSpec(destroy_crds=True)}
    assert "1 object, and 0 are confirmed:\n  JobSet a/bare\n" in said(Cluster(THEIRS), stack)
    assert "`jobset: {destroyCrds: true, confirmedObjectLoss: 1}`" in said(Cluster(THEIRS), stack)


def test_confirmed_objects_are_deleted_trainjobs_first() -> None:
    cluster = Cluster(THEIRS)
    leave(operators(destroy_crds=True, confirmed_object_loss=3), cluster)
    assert [path.rpartition("/")[2] for method, path in cluster.calls if method == "DELETE"] == ["old", "own", "theirs"]
    assert [path.rpartition("/")[2] for path in cluster.objects] == ["deepspeed", "old", "bare"]


CRD_PATHS = [f"{CRDS}/{name}" for name in KubeflowTrainerSpec.facts.crds]
THERE = {path: thing(path.rpartition("/")[2]) for path in CRD_PATHS}
GIVEN_UP = KubeflowTrainerSpec(destroy_crds=True, confirmed_object_loss=1)


def test_crds_are_deleted_when_the_operator_is_gone_and_no_objects_of_users_are_left() -> None:
    cluster = Cluster(THERE)
    destroy_crds("trainer", GIVEN_UP, stack_context(cluster))
    assert cluster.objects == {}
    assert [path for method, path in cluster.calls if method == "DELETE"] == CRD_PATHS


def test_crd_of_a_charts_dependency_is_kept() -> None:
    lws = {f"{CRDS}/leaderworkersets.leaderworkerset.x-k8s.io": thing("leaderworkersets.leaderworkerset.x-k8s.io")}
    cluster = Cluster(THERE | lws)
    destroy_crds("trainer", GIVEN_UP, stack_context(cluster))
    assert cluster.objects == lws


def test_objects_created_after_the_confirmation_are_listed_and_keep_the_crds() -> None:
    cluster = Cluster(THERE | job("late", status=DONE))
    stack = stack_context(cluster)
    stack.run.confirmed_loss = True
    with pytest.raises(PreflightError) as refused:
        destroy_crds("trainer", GIVEN_UP, stack)
    assert str(refused.value) == (
        "trainer.confirmedObjectLoss: 1 object created after the loss was confirmed:\n  TrainJob a/late\n"
        "  Fix: Delete them, or set `trainer: {confirmedObjectLoss: 1}`, and run the destroy again. [OPR-06]"
    )
    assert [method for method, _ in cluster.calls if method == "DELETE"] == []


def test_without_a_gate_the_number_in_the_settings_is_checked() -> None:
    there = THERE | job("late", status=DONE)
    with pytest.raises(PreflightError, match="would delete 1 object, and 2 are confirmed"):
        destroy_crds(
            "trainer", KubeflowTrainerSpec(destroy_crds=True, confirmed_object_loss=2), stack_context(Cluster(there))
        )
    cluster = Cluster(there)
    destroy_crds("trainer", GIVEN_UP, stack_context(cluster))
    assert [*cluster.objects] == [*job("late")]  # with a real API server it goes with its CRD


MINE = ObjectRef("ClusterTrainingRuntime", "mine")
RUNTIME = MINE.path


def test_forbidden_deletion_is_reported_immediately(monkeypatch: pytest.MonkeyPatch) -> None:
    forbidden = Response(403, {"message": "you may not"})
    there = {RUNTIME: thing("mine", finalizers=[IN_USE_FINALIZER])} | THEIRS
    with pytest.raises(PreflightError, match="ClusterTrainingRuntime mine was not deleted: you may not"):
        delete_if_blocked(answering(Cluster(there), monkeypatch, "DELETE", forbidden), MINE)
    with pytest.raises(PreflightError, match="TrainJob a/old was not deleted: you may not"):
        leave(
            operators(destroy_crds=True, confirmed_object_loss=4),
            answering(Cluster(there), monkeypatch, "DELETE", forbidden),
        )
