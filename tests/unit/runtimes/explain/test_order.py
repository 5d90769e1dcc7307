"""The order of creation."""

from components.runtimes.catalog import deepspeed
from tests.unit.runtimes.explain.pairs import explained, job, runtime

WHEN_JOBSET = "the JobSet exists"


def test_a_launcher_waits_for_its_nodes() -> None:
    steps = [(step.what, step.waits_for) for step in explained(deepspeed(), trainer={"numNodes": 4}).order]
    assert steps == [
        ("JobSet tj, ConfigMap tj-runtime-snapshot, Secret tj-mpi-ssh-auth, ConfigMap tj-mpi-hostfile", ""),
        ("Service tj", WHEN_JOBSET),
        ("Job tj-node-0 with 3 pods", WHEN_JOBSET),
        ("Job tj-launcher-0 with 1 pod", "all pods of node are ready"),
        ("the TrainJob is Complete", "all jobs of launcher succeeded"),
    ]


def test_jobs_in_order_wait_for_the_one_before() -> None:
    made = runtime(job("helper", ancestor=None, replicas=2), job(), startupPolicy={"startupPolicyOrder": "InOrder"})
    steps = [(step.what, step.waits_for) for step in explained(made).order[2:]]
    assert steps == [
        ("2 Jobs tj-helper-0 to tj-helper-1 with 1 pod each", WHEN_JOBSET),
        ("Job tj-node-0 with 1 pod", "all pods of helper are ready or have ended"),
        ("the TrainJob is Complete", "all jobs of helper, node succeeded"),
    ]


def test_initializers_must_have_succeeded() -> None:
    gate = [{"name": "model-initializer", "status": "Complete"}]
    made = runtime(job("model-initializer", ancestor="model-initializer"), job(dependsOn=gate))
    assert explained(made).order[3].waits_for == "all jobs of model-initializer have succeeded"


def test_claims_come_with_the_service() -> None:
    policies = [{"templates": [{"metadata": {"name": "data"}, "spec": {}}]}]
    order = explained(runtime(volumeClaimPolicies=policies)).order
    assert order[1].what == "Service tj, PersistentVolumeClaim data-tj"


def test_one_of_the_jobs_can_be_enough() -> None:
    policy = {"operator": "Any", "targetReplicatedJobs": ["node"]}
    assert explained(runtime(successPolicy=policy)).order[-1].waits_for == "one job of node succeeded"


def test_a_suspended_train_job_has_jobs_without_pods() -> None:
    order = explained(runtime(), suspend=True).order
    assert order[2].waits_for == "spec.suspend of the TrainJob becomes false, for its pods"
