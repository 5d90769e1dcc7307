"""A runtime that changes under TrainJobs that wait: said where Trainer keeps no copy of it."""

from typing import Any

import pytest

from components.admission.suspended_train_jobs import SuspendedTrainJobs
from components.cluster.objects import ObjectRef

from ..fake_cluster import Cluster, thing
from ..operators.cluster_objects import WEBHOOKS, deployment, webhook

MINE = ObjectRef("ClusterTrainingRuntime", "mine")
NAMESPACED = ObjectRef("TrainingRuntime", "mine", "a")
DONE = {"conditions": [{"type": "Failed", "status": "True"}]}


def job(name: str = "x", runtime: str = "mine", kind: str | None = None, **fields: Any) -> dict[str, Any]:
    """A TrainJob that waits, unless it says something else."""
    reference = {"name": runtime, **({"kind": kind} if kind else {})}
    spec = {"runtimeRef": reference, "suspend": fields.pop("suspend", True)}
    return {ObjectRef("TrainJob", name, "a").path: thing(name, "a", spec=spec, **fields)}


def cluster(*jobs: dict[str, Any], trainer: str = "2.2.0") -> Cluster:
    there = {
        f"{WEBHOOKS}/trainer": webhook("validator.trainjob.trainer.kubeflow.org"),
        "/apis/apps/v1/namespaces/elsewhere/deployments/controller": deployment(
            f"a/trainer-controller-manager:v{trainer}"
        ),
    }
    return Cluster({path: each for objects in (there, *jobs) for path, each in objects.items()})


def test_suspended_trainjob_that_uses_the_changed_runtime_is_listed() -> None:
    (said,) = SuspendedTrainJobs(cluster(job())).violations(MINE)
    assert str(said) == (
        "runtimes.mine: 1 suspended TrainJob will resume with the changed runtime, because Trainer 2.2.0 does "
        "not snapshot runtimes:\n  TrainJob a/x\n  Fix: To avoid that, create the changed runtime under a new "
        "name. [OPR-12]"
    )
    assert said.severity == "warning"
    assert SuspendedTrainJobs(cluster(job(kind="TrainingRuntime"))).violations(NAMESPACED)


@pytest.mark.parametrize(
    "other",
    [
        job(suspend=False),
        job(suspend=None),
        job(status=DONE),
        job(runtime="another"),
        job(kind="TrainingRuntime"),
        {ObjectRef("TrainJob", "x", "a").path: thing("x", "a", status=None)},
    ],
    ids=["runs", "says nothing", "finished", "another runtime", "another kind", "no spec"],
)
def test_other_trainjobs_are_not_listed(other: dict[str, Any]) -> None:
    assert SuspendedTrainJobs(cluster(other)).violations(MINE) == ()


@pytest.mark.parametrize("trainer", ["2.3.0", "2.10.1", "3.0.0"])
def test_no_trainjob_is_listed_with_a_trainer_that_snapshots_runtimes(trainer: str) -> None:
    assert SuspendedTrainJobs(cluster(job(), trainer=trainer)).violations(MINE) == ()


def test_unreadable_cluster_lists_no_trainjobs() -> None:
    away = cluster(job())
    away.down = True
    assert SuspendedTrainJobs(away).violations(MINE) == ()
    assert SuspendedTrainJobs(Cluster(job())).violations(MINE) == ()


def test_trainjobs_are_read_once_in_a_run() -> None:
    there = cluster(job(suspend=False))
    waiting = SuspendedTrainJobs(there)
    for runtime in (MINE, ObjectRef("ClusterTrainingRuntime", "another"), NAMESPACED, NAMESPACED):
        assert waiting.violations(runtime) == ()
    assert [path for _, path in there.calls] == [
        "/apis/trainer.kubeflow.org/v1alpha1/trainjobs",
        "/apis/trainer.kubeflow.org/v1alpha1/namespaces/a/trainjobs",
    ]
