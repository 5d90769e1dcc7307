"""TrainJobs that use a runtime which is deleted."""

from typing import Any

import pytest

from components.admission.runtime_users import names_runtime, require_unused
from components.cluster.hook_error import PreflightError
from components.cluster.objects import ObjectRef

from ..fake_cluster import Cluster, thing

SHARED, OWN = ObjectRef("ClusterTrainingRuntime", "mine"), ObjectRef("TrainingRuntime", "mine", "a")


@pytest.mark.parametrize(
    ("job", "shared", "own"),
    [
        ({"spec": {"runtimeRef": {"name": "mine"}}}, True, False),
        ({"spec": {"runtimeRef": {"name": "mine", "kind": "ClusterTrainingRuntime"}}}, True, False),
        ({"spec": {"runtimeRef": {"name": "mine", "kind": "TrainingRuntime"}}}, False, True),
        ({"spec": {"runtimeRef": {"name": "other"}}}, False, False),
        ({"spec": {"runtimeRef": None}}, False, False),
        ({"spec": None}, False, False),
        ({}, False, False),
    ],
)
def test_train_job_names_a_runtime_by_kind_and_name(job: dict[str, Any], shared: bool, own: bool) -> None:
    assert (names_runtime(job, SHARED), names_runtime(job, OWN)) == (shared, own)


def job(name: str, namespace: str, kind: str, **fields: Any) -> dict[str, Any]:
    path = f"/apis/trainer.kubeflow.org/v1alpha1/namespaces/{namespace}/trainjobs/{name}"
    return {path: thing(name, namespace, spec={"runtimeRef": {"name": "mine", "kind": kind}}, **fields)}


DONE = {"conditions": [{"type": "Complete", "status": "True"}]}


def test_unfinished_users_of_a_runtime_are_listed() -> None:
    cluster = Cluster(
        job("waits", "a", SHARED.kind)
        | job("trains", "b", SHARED.kind)
        | job("done", "b", SHARED.kind, status=DONE)
        | job("uses-another", "a", OWN.kind)
    )
    with pytest.raises(PreflightError) as error:
        require_unused(SHARED, cluster)
    assert str(error.value) == (
        "runtimes.mine: 2 unfinished TrainJobs would lose runtime mine:\n  TrainJob a/waits\n  TrainJob b/trains\n"
        "  Fix: Wait for them, delete them, or set `trainer: {interruptTrainJobs: true}` to delete it anyway. [OPR-14]"
    )


def test_runtime_of_a_namespace_is_used_only_there() -> None:
    require_unused(OWN, Cluster(job("other", "b", OWN.kind)))
    with pytest.raises(PreflightError, match=r"1 unfinished TrainJob would lose runtime mine:\n  TrainJob a/here\n"):
        require_unused(OWN, Cluster(job("here", "a", OWN.kind)))


def test_runtime_is_kept_if_its_train_jobs_cannot_be_listed() -> None:
    cluster = Cluster()
    cluster.down = True
    with pytest.raises(PreflightError, match=r"TrainingRuntime a/mine was not deleted.*does not answer.*OPR-07"):
        require_unused(OWN, cluster)
