"""Finalizers: objects that are deleted, and those that hold."""

from typing import Any

import pytest

from components.cluster.client import Response
from components.cluster.hook_error import PreflightError
from components.cluster.objects import ObjectRef
from components.operators import finalizers
from components.operators.finalizers import Seen, delete_and_wait, delete_if_blocked, remove_all_finalizers
from components.runtimes.api import IN_USE_FINALIZER

from ..fake_cluster import Cluster, thing
from .cluster_objects import answering

TRAINER = "/apis/trainer.kubeflow.org/v1alpha1"


def job(name: str, **fields: Any) -> dict[str, Any]:
    return {f"{TRAINER}/namespaces/a/trainjobs/{name}": thing(name, "a", **fields)}


def test_only_the_checked_object_is_deleted() -> None:
    (path,) = job("mine")
    seen = Seen(ObjectRef("TrainJob", "mine", "a"), "another", "1")
    cluster = Cluster(job("mine"))
    with pytest.raises(
        PreflightError, match=r"TrainJob a/mine was not deleted: it was deleted and created again.*OPR-19"
    ):
        delete_and_wait(cluster, [seen], 0)
    assert path in cluster.objects
    changed = Seen(seen.thing, "uid of mine", "0")
    with pytest.raises(
        PreflightError, match=r"TrainJob a/mine was not deleted: it keeps changing while it is checked.*OPR-19"
    ):
        delete_and_wait(cluster, [changed], 0, 1)
    delete_and_wait(cluster, [changed], 0)
    delete_and_wait(cluster, [changed], 0)
    assert cluster.objects == {}


MINE = ObjectRef("ClusterTrainingRuntime", "mine")
RUNTIME = MINE.path


def test_runtime_with_trainers_finalizer_is_deleted() -> None:
    cluster = Cluster({RUNTIME: thing("mine", finalizers=[IN_USE_FINALIZER])})
    delete_if_blocked(cluster, MINE)
    assert cluster.objects == {}


def test_runtime_without_finalizer_is_left_to_the_engine() -> None:
    for finalizers_there in ([], ["example.com/theirs"]):
        cluster = Cluster({RUNTIME: thing("mine", finalizers=finalizers_there)})
        delete_if_blocked(cluster, MINE)
        assert [method for method, _ in cluster.calls] == ["GET"]
    delete_if_blocked(Cluster(), MINE)


def test_finalizers_of_others_are_kept_and_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finalizers, "RELEASE_TIMEOUT", 0.15)
    cluster = Cluster({RUNTIME: thing("mine", finalizers=["example.com/theirs", IN_USE_FINALIZER])})
    with pytest.raises(PreflightError) as held:
        delete_if_blocked(cluster, MINE)
    assert str(held.value) == (
        "1 object not deleted within 0 s:\n  ClusterTrainingRuntime mine, held by example.com/theirs\n"
        "  Fix: Find out what holds them, and run this again. [OPR-10]"
    )
    assert cluster.objects[RUNTIME]["metadata"]["finalizers"] == ["example.com/theirs"]


def test_finalizer_that_is_added_again_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finalizers, "RELEASE_TIMEOUT", 0.15)
    cluster = Cluster({RUNTIME: thing("mine", finalizers=[IN_USE_FINALIZER])})
    monkeypatch.setattr(cluster, "patch", lambda *_: None)
    with pytest.raises(PreflightError, match=f"ClusterTrainingRuntime mine, held by {IN_USE_FINALIZER}"):
        delete_if_blocked(cluster, MINE)


def test_finalizers_are_removed_from_runtimes_without_a_controller() -> None:
    other = f"{TRAINER}/namespaces/b/trainingruntimes/own"
    cluster = Cluster(
        {
            RUNTIME: thing("mine", finalizers=[IN_USE_FINALIZER, "example.com/theirs"]),
            other: thing("own", "b", finalizers=[IN_USE_FINALIZER]),
            f"{TRAINER}/clustertrainingruntimes/free": thing("free"),
        }
    )
    remove_all_finalizers(cluster)
    left = {path: there["metadata"].get("finalizers") for path, there in cluster.objects.items()}
    assert left == {RUNTIME: ["example.com/theirs"], other: [], f"{TRAINER}/clustertrainingruntimes/free": None}
    assert [method for method, _ in cluster.calls].count("PATCH") == 2


def test_finalizer_that_cannot_be_removed_is_reported_immediately(monkeypatch: pytest.MonkeyPatch) -> None:
    other = ObjectRef("TrainingRuntime", "own", "b")
    forbidden = Response(403, {"message": "you may not"})
    cluster = answering(
        Cluster({other.path: thing("own", "b", finalizers=[IN_USE_FINALIZER])}), monkeypatch, "PATCH", forbidden
    )
    with pytest.raises(PreflightError) as refused:
        remove_all_finalizers(cluster)
    assert str(refused.value) == (
        f"Could not remove finalizer `{IN_USE_FINALIZER}` from TrainingRuntime b/own, and no controller is left to "
        "remove it: you may not. Fix: Fix the cause and run this again, or remove the finalizer manually: "
        "`kubectl --context here edit -n b trainingruntime own`. [OPR-10]"
    )
    cluster = answering(
        Cluster({RUNTIME: thing("mine", finalizers=[IN_USE_FINALIZER])}), monkeypatch, "PATCH", forbidden
    )
    with pytest.raises(PreflightError, match="from ClusterTrainingRuntime mine"):
        delete_if_blocked(cluster, MINE)


def test_vanished_runtime_is_skipped_and_changed_runtime_is_retried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gone = answering(
        Cluster({RUNTIME: thing("mine", finalizers=[IN_USE_FINALIZER])}), monkeypatch, "PATCH", Response(404, {})
    )
    remove_all_finalizers(gone)
    changed = answering(
        Cluster({RUNTIME: thing("mine", finalizers=[IN_USE_FINALIZER])}), monkeypatch, "PATCH", Response(409, {})
    )
    remove_all_finalizers(changed)
    assert changed.objects[RUNTIME]["metadata"]["finalizers"] == []


def test_runtime_that_keeps_changing_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finalizers, "RELEASE_TIMEOUT", 0)
    conflict = Response(409, {"message": "the object has been modified"})
    cluster = answering(
        Cluster({RUNTIME: thing("mine", finalizers=[IN_USE_FINALIZER])}), monkeypatch, "PATCH", conflict
    )
    with pytest.raises(PreflightError, match="from ClusterTrainingRuntime mine"):
        remove_all_finalizers(cluster)
