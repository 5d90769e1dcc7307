"""Runs of a validation on a cluster that is played."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from components.cluster.client import ClusterReadError, Response
from components.cluster.context import StackContext
from components.cluster.deadline import remaining
from components.cluster.ownership import OWNER_ANNOTATION, STACK_ID, marks
from components.gpu_node_pool import SimulatedPool
from components.runtimes import deepspeed, torch
from components.runtimes.placement import Placement
from components.training_validation.phases import Phase
from components.training_validation.plan import LABEL, TrainingPlan, ValidationPool, plan_trainings, validation_pools
from components.training_validation.report import Outcome, ValidationReport
from components.training_validation.run import OBSERVATION_TIMEOUT, ValidationRun
from components.training_validation.spec import ValidationSpec

from .training_cluster import TrainingCluster, pod, rank_line

PLACEMENT = Placement(node_selector={"pool": "gpu"}, gpus_per_node=0, memory_per_node="64Gi", max_nodes=8)
POOL = ValidationPool("gpu", PLACEMENT)
NODE = {"metadata": {"name": "gpu-0"}, "status": {"allocatable": {"memory": "58Gi"}}}
PASSED, FAILED = Outcome.PASSED, Outcome.FAILED
UNREACHED, UNCHECKED = Outcome.NOT_REACHED, Outcome.NOT_CHECKED


def plan(cluster: TrainingCluster, pools: Sequence[ValidationPool] = (POOL,), **settings: Any) -> TrainingPlan:
    spec = ValidationSpec(**{"timeout_seconds": 30, **settings})
    (made,) = plan_trainings(spec, [torch(placement=PLACEMENT)], pools, marks(context(cluster)))
    return made


def context(cluster: TrainingCluster) -> StackContext:
    return StackContext(cluster, "project/stack", "my-id")


def validate(cluster: TrainingCluster, made: TrainingPlan | None = None) -> ValidationReport:
    run = ValidationRun(context(cluster), cluster.clock, cluster.sleep)
    return run.validate(made or plan(cluster))


def outcomes(report: ValidationReport) -> list[Outcome]:
    return [report.outcome(phase) for phase in Phase]


def good_cluster() -> TrainingCluster:
    """Pods are created after one second, start after three, and the TrainJob completes after ten."""

    def pods(name: str, age: float) -> list[dict[str, Any]]:
        phase = "Pending" if age < 3 else "Running" if age < 10 else "Succeeded"
        return [pod(f"{name}-node-0-{index}", "node", phase) for index in (0, 1) if age >= 1]

    cluster = TrainingCluster(pods)
    cluster.nodes, cluster.ends_after = [NODE], 10.0
    cluster.logs = {f"node-0-{index}": rank_line(index, 2, f"job-node-0-{index}") for index in (0, 1)}
    return cluster


def test_good_training_passes_all_phases_and_leaves_nothing() -> None:
    cluster = good_cluster()
    report = validate(cluster)
    assert outcomes(report) == [PASSED, PASSED, PASSED, PASSED], str(report)
    assert {phase: (result.seconds, result.detail) for phase, result in report.results.items()} == {
        Phase.NODES: (0.0, "Nodes: 1, each with about 64Gi memory"),
        Phase.ADMISSION: (1.0, "The TrainJob and its pods are admitted"),
        Phase.START: (2.0, "node: 2 pods created at 1.0 s, started at 3.0 s, ready at 10.0 s"),
        Phase.TRAINING: (7.0, "2 ranks on 2 hosts; no GPUs; allreduce right"),
    }
    assert report.diagnoses == ()
    assert cluster.train_jobs == {}
    (created,) = cluster.created
    assert cluster.deleted == [created["metadata"]["name"]]
    assert created["metadata"]["labels"] == {LABEL: "true"}
    assert created["metadata"]["annotations"] == {OWNER_ANNOTATION: "project/stack", STACK_ID: "my-id"}


def test_each_run_has_a_name_of_its_own() -> None:
    cluster = good_cluster()
    validate(cluster)
    validate(cluster)
    first, second = (each["metadata"]["name"] for each in cluster.created)
    assert first != second
    assert first.startswith("validate-torch-distributed-")


def test_node_that_offers_less_than_its_pool_promises_fails_before_anything_is_created() -> None:
    cluster = good_cluster()
    cluster.nodes = [NODE, {"metadata": {"name": "gpu-1"}, "status": {"allocatable": {"memory": "57Gi"}}}]
    report = validate(cluster)
    assert outcomes(report) == [FAILED, UNREACHED, UNREACHED, UNREACHED]
    assert report.results[Phase.NODES].detail == "1 of 2 nodes offer less than about 64Gi memory"
    assert [(each.cause, each.subject) for each in report.diagnoses] == [("memory missing", "node gpu-1")]
    assert cluster.created == []


@pytest.mark.parametrize(
    ("nodes", "denied", "pools", "detail"),
    [
        (
            [NODE],
            {("list", "nodes")},
            (POOL,),
            'Listing nodes is not permitted: {apiGroups: [""], resources: [nodes], verbs: [list]}',
        ),
        ([], set(), (POOL,), "The pool has no nodes now"),
        ([NODE], set(), (), "No pool promises anything about the nodes"),
    ],
)
def test_nodes_that_cannot_be_seen_are_not_checked(
    nodes: list[Any], denied: set[tuple[str, str]], pools: tuple[ValidationPool, ...], detail: str
) -> None:
    cluster = good_cluster()
    cluster.nodes, cluster.denied = nodes, denied
    report = validate(cluster, plan(cluster, pools))
    assert outcomes(report) == [UNCHECKED, PASSED, PASSED, PASSED]
    assert report.results[Phase.NODES].detail == detail
    assert report.passed


def test_training_on_simulated_nodes_ends_when_its_pods_have_started() -> None:
    cluster = good_cluster()
    pool = SimulatedPool(provider="simulated", nodes=8, gpus_per_node=1, memory="64Gi")
    cluster.nodes[0]["status"]["allocatable"]["nvidia.com/gpu"] = "1"
    pools = validation_pools({"gpu": pool}, {})
    spec = ValidationSpec()
    (made,) = plan_trainings(spec, [torch(placement=pool.placement("gpu"))], pools, marks(context(cluster)))
    report = validate(cluster, made)
    assert outcomes(report) == [PASSED, PASSED, PASSED, UNCHECKED]
    assert cluster.now == 3.0
    assert report.passed


def test_refused_train_job_is_diagnosed() -> None:
    cluster = good_cluster()
    cluster.refusal = 'admission webhook "policy.example.com" denied the request: no label'
    report = validate(cluster)
    assert outcomes(report) == [PASSED, FAILED, UNREACHED, UNREACHED]
    assert [each.cause for each in report.diagnoses] == ["webhook refused"]
    assert report.results[Phase.ADMISSION].detail == cluster.refusal


def test_error_that_is_not_of_the_api_server_is_not_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = good_cluster()
    monkeypatch.setattr(cluster, "_post_trainjobs", lambda *_: Response(503, {}))
    with pytest.raises(ClusterReadError, match=r"cannot be created: HTTP status 503$"):
        validate(cluster)


def test_pods_that_a_quota_refuses_fail_the_admission(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = good_cluster()
    everything = cluster.pods
    cluster.pods = lambda name, age: everything(name, age)[:1]
    cluster.ends_after = None
    refusal = 'Error creating: pods "a" is forbidden: exceeded quota: pods, requested: pods=1, used: pods=1'

    def events() -> list[dict[str, Any]]:
        (name,) = cluster.train_jobs
        about = {"name": f"{name}-node-0"}
        other = {"involvedObject": {"name": "other-node-0"}, "reason": "FailedCreate", "message": "other"}
        return [{"involvedObject": about, "reason": "FailedCreate", "message": refusal}, other]

    monkeypatch.setattr(cluster, "_get_events", lambda path, *_: cluster._listed(events(), path))
    report = validate(cluster)
    assert outcomes(report) == [PASSED, FAILED, UNREACHED, UNREACHED]
    assert report.results[Phase.ADMISSION].detail == "1 of 2 pods created"
    assert [(each.cause, each.evidence) for each in report.diagnoses] == [("quota exceeded", (refusal,))]


def test_pod_that_does_not_start_in_time_is_diagnosed() -> None:
    cluster = good_cluster()
    waiting = {"name": "node", "restartCount": 0, "state": {"waiting": {"reason": "ErrImagePull", "message": "no"}}}
    cluster.pods = lambda name, _: [
        pod(f"{name}-node-0-0", "node"),
        pod(f"{name}-node-0-1", "node", "Pending", containerStatuses=[waiting]),
    ]
    cluster.ends_after = None
    report = validate(cluster)
    assert outcomes(report) == [PASSED, PASSED, FAILED, UNREACHED]
    assert report.results[Phase.START].detail == "1 of 2 pods started"
    assert [each.cause for each in report.diagnoses] == ["image not pulled"]
    assert cluster.now == 30.0
    assert cluster.train_jobs == {}


def test_ranks_that_do_not_report_fail_the_training() -> None:
    cluster = good_cluster()
    del cluster.logs["node-0-1"]
    report = validate(cluster)
    assert outcomes(report) == [PASSED, PASSED, PASSED, FAILED]
    assert report.results[Phase.TRAINING].detail == "1 of 2 ranks reported; ranks ran on 1 of 2 hosts"
    assert [each.cause for each in report.diagnoses] == ["wrong process count"]


def test_failed_training_has_the_last_lines_of_a_log() -> None:
    cluster = good_cluster()
    cluster.ending, cluster.logs = "Failed", {"node-0-0": "ImportError: libcuda.so.1"}
    report = validate(cluster)
    assert outcomes(report) == [PASSED, PASSED, PASSED, FAILED]
    assert report.results[Phase.TRAINING].detail.startswith("The TrainJob failed (it ended); 0 of 2 ranks reported")
    assert [(each.cause, each.evidence) for each in report.diagnoses] == [("not known", ("ImportError: libcuda.so.1",))]


def test_log_of_a_pod_that_is_gone_is_remembered() -> None:
    cluster = good_cluster()
    there = cluster.pods
    cluster.pods = lambda name, age: there(name, age) if age < 9 else []
    assert outcomes(validate(cluster)) == [PASSED, PASSED, PASSED, PASSED]


def test_log_of_a_pod_that_is_gone_explains_a_failure() -> None:
    cluster = good_cluster()
    there = cluster.pods
    cluster.pods = lambda name, age: there(name, age) if age < 9 else []
    cluster.ending, cluster.logs = "Failed", {"node-0-0": "ImportError: libcuda.so.1"}
    (found,) = validate(cluster).diagnoses
    assert found.evidence == ("ImportError: libcuda.so.1",)


def test_deleted_train_job_ends_the_run() -> None:
    cluster = good_cluster()
    original = cluster.pods

    def pods(name: str, age: float) -> list[dict[str, Any]]:
        if age >= 5:
            cluster.train_jobs.clear()
        return original(name, age)

    cluster.pods = pods
    report = validate(cluster)
    assert outcomes(report) == [PASSED, PASSED, PASSED, FAILED]
    assert report.results[Phase.TRAINING].detail.startswith("The TrainJob failed (it was deleted)")


def test_api_server_that_is_away_for_a_while_is_waited_for() -> None:
    cluster = good_cluster()
    cluster.down_between = (4.0, 9.0)
    assert outcomes(validate(cluster)) == [PASSED, PASSED, PASSED, PASSED]


def with_state(state: str) -> list[dict[str, Any]]:
    return [{"name": "node", "restartCount": 0, "state": {state: {}}}]


def test_report_of_a_rank_counts_after_more_lines_than_are_read() -> None:
    cluster = good_cluster()
    there = cluster.pods

    def pods(name: str, age: float) -> list[dict[str, Any]]:
        if age >= 9:
            cluster.logs = {"node-0": "NCCL INFO comm destroyed"}
        return there(name, age)

    cluster.pods = pods
    assert outcomes(validate(cluster)) == [PASSED, PASSED, PASSED, PASSED]


@pytest.mark.parametrize("is_lost", [True, False])
def test_log_that_cannot_be_read_at_the_end_is_read_again(is_lost: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = good_cluster()
    cluster.pods = lambda name, _: [
        pod(f"{name}-node-0-{index}", "node", containerStatuses=with_state("terminated")) for index in (0, 1)
    ]

    def read_log(path: str, query: Any) -> str | None:
        if cluster.now >= 12:
            return TrainingCluster.read_log(cluster, path, query)
        if is_lost:
            raise ClusterReadError("the API server does not answer")
        return None

    monkeypatch.setattr(cluster, "read_log", read_log)
    assert outcomes(validate(cluster)) == [PASSED, PASSED, PASSED, PASSED]
    assert cluster.now == 12.0


def test_log_that_can_never_be_read_ends_the_run() -> None:
    cluster = good_cluster()
    cluster.logs = {}
    cluster.pods = lambda name, _: [
        pod(f"{name}-node-0-{index}", "node", containerStatuses=with_state("running")) for index in (0, 1)
    ]
    assert outcomes(validate(cluster)) == [PASSED, PASSED, PASSED, FAILED]
    assert cluster.now == 20.0


def test_log_of_a_container_counts_if_another_one_cannot_be_read_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = good_cluster()
    containers = [{"name": "node", "restartCount": 0}, {"name": "sidecar", "restartCount": 0}]
    cluster.pods = lambda name, _: [
        pod(f"{name}-node-0-{index}", "node", containerStatuses=containers) for index in (0, 1)
    ]

    def read_log(path: str, query: Any) -> str | None:
        if query["container"] == "sidecar":
            return "proxy"
        return TrainingCluster.read_log(cluster, path, query) if cluster.now < 9 else None

    monkeypatch.setattr(cluster, "read_log", read_log)
    assert outcomes(validate(cluster)) == [PASSED, PASSED, PASSED, PASSED]


def test_observations_end_soon_after_the_time_limit_and_leave_time_to_delete(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster, left = good_cluster(), dict[str, float]()

    def read_log(path: str, query: Any) -> str | None:
        left["logs"] = remaining(1e6)
        return TrainingCluster.read_log(cluster, path, query)

    def request(method: str, path: str, *rest: Any, **named: Any) -> Response:
        left[method] = remaining(1e6)
        return TrainingCluster.request(cluster, method, path, *rest, **named)

    monkeypatch.setattr(cluster, "read_log", read_log)
    monkeypatch.setattr(cluster, "request", request)
    validate(cluster)
    assert 0 < left["logs"] <= 30 + OBSERVATION_TIMEOUT
    assert left["DELETE"] == 1e6


def test_api_server_that_stays_away_ends_the_run() -> None:
    cluster = good_cluster()
    cluster.down_between = (4.0, 1000.0)
    with pytest.raises(ClusterReadError):
        validate(cluster)
    (left,) = cluster.train_jobs
    cluster.down_between = (0.0, 0.0)
    validate(cluster)
    assert cluster.deleted[0] == left
    assert cluster.train_jobs == {}


def test_interrupted_run_deletes_its_train_job() -> None:
    cluster = good_cluster()

    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    run = ValidationRun(context(cluster), cluster.clock, interrupt)
    with pytest.raises(KeyboardInterrupt):
        run.validate(plan(cluster))
    assert len(cluster.created) == 1
    assert cluster.train_jobs == {}


def train_job(**annotations: str) -> dict[str, Any]:
    return {"metadata": {"name": "old", "namespace": "default", "uid": "uid-old", "annotations": annotations}}


@pytest.mark.parametrize(
    ("annotations", "is_deleted"),
    [
        ({STACK_ID: "my-id", OWNER_ANNOTATION: "project/stack"}, True),
        ({STACK_ID: "other-id", OWNER_ANNOTATION: "project/stack"}, False),
        ({OWNER_ANNOTATION: "project/stack validate"}, False),
        ({}, False),
    ],
)
def test_only_train_jobs_of_the_stack_are_cleared(annotations: dict[str, str], is_deleted: bool) -> None:
    cluster = good_cluster()
    cluster.train_jobs["old"] = {**train_job(**annotations), "created": 0.0}
    ValidationRun(context(cluster), cluster.clock, cluster.sleep).clear("default")
    assert ("old" in cluster.deleted) is is_deleted


def test_clearing_waits_for_the_pods(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = good_cluster()
    cluster.train_jobs["old"] = {**train_job(**{STACK_ID: "my-id"}), "created": 0.0}
    pods = [pod("old-node-0-0", "node")]
    monkeypatch.setattr(cluster, "_get_pods", lambda path, *_: cluster._listed(pods if cluster.now < 4 else [], path))
    ValidationRun(context(cluster), cluster.clock, cluster.sleep).clear("default")
    assert cluster.now == 4.0


def test_train_job_that_cannot_be_deleted_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = good_cluster()
    cluster.train_jobs["old"] = {**train_job(**{STACK_ID: "my-id"}), "created": 0.0}
    monkeypatch.setattr(cluster, "_delete_trainjobs", lambda *_: Response(403, {"message": "no"}))
    with pytest.raises(ClusterReadError, match="old cannot be deleted: no"):
        ValidationRun(context(cluster), cluster.clock, cluster.sleep).clear("default")


def test_training_that_the_controllers_would_not_run_is_not_created() -> None:
    cluster = good_cluster()
    report = validate(cluster, replace(plan(cluster), failure="Trainer leaves it to another."))
    assert outcomes(report) == [PASSED, FAILED, UNREACHED, UNREACHED]
    assert report.results[Phase.ADMISSION].detail == "Trainer leaves it to another."
    assert cluster.created == []


def test_launcher_that_waits_for_its_nodes_is_shown() -> None:
    def pods(name: str, age: float) -> list[dict[str, Any]]:
        nodes = [
            pod(f"{name}-node-0-{index}", "node", conditions=[{"type": "Ready", "status": "True"}]) for index in (0, 1)
        ]
        return [*nodes, *([pod(f"{name}-launcher-0-0", "launcher")] if age >= 4 else [])]

    cluster = good_cluster()
    cluster.pods, hosts = pods, ("job-node-0-0", "job-node-0-1", "job-launcher-0-0")
    cluster.logs = {"launcher": "\n".join(rank_line(rank, 3, host) for rank, host in enumerate(hosts))}
    runtime = deepspeed(placement=PLACEMENT)
    (made,) = plan_trainings(ValidationSpec(), [runtime], (POOL,), marks(context(cluster)))
    report = validate(cluster, made)
    assert outcomes(report) == [PASSED, PASSED, PASSED, PASSED], str(report)
    assert report.results[Phase.START].detail == (
        "node: 2 pods created at 0.0 s, started at 0.0 s, ready at 0.0 s; "
        "launcher: 1 pod created at 4.0 s, started at 4.0 s"
    )


@pytest.mark.parametrize(
    ("fields", "detail"),
    [
        (
            ({"gpus": 1, "megabytes_per_second": 1200}, {"gpus": 1, "megabytes_per_second": 900}),
            "2 ranks on 2 hosts; each saw 1 GPU; allreduce right; 900 MB/s",
        ),
        (
            ({"total": None}, {"total": None}),
            "2 ranks on 2 hosts; no GPUs; no allreduce, because the image has no library for it",
        ),
    ],
)
def test_good_training_says_what_its_ranks_saw(fields: tuple[dict[str, Any], ...], detail: str) -> None:
    cluster = good_cluster()
    cluster.logs = {f"node-0-{index}": rank_line(index, 2, f"job-node-0-{index}", **fields[index]) for index in (0, 1)}
    assert validate(cluster).results[Phase.TRAINING].detail == detail


def test_wrong_sum_fails_the_training() -> None:
    cluster = good_cluster()
    cluster.logs["node-0-1"] = rank_line(1, 2, "job-node-0-1", total=2.5)
    report = validate(cluster)
    assert report.results[Phase.TRAINING].detail == "the allreduce was wrong on 1 of 2 ranks"
    assert [each.cause for each in report.diagnoses] == ["wrong result"]


def test_gpu_that_a_rank_does_not_see_fails_the_training() -> None:
    cluster = good_cluster()
    cluster.nodes[0]["status"]["allocatable"]["nvidia.com/gpu"] = "1"
    cluster.logs["node-0-0"] = rank_line(0, 2, "job-node-0-0", gpus=1)
    placement = PLACEMENT.model_copy(update={"gpus_per_node": 1})
    pools = (ValidationPool("gpu", placement),)
    (made,) = plan_trainings(ValidationSpec(), [torch(placement=placement)], pools, marks(context(cluster)))
    report = validate(cluster, made)
    assert report.results[Phase.TRAINING].detail == "1 of 2 ranks did not see 1 GPU"
    assert [each.cause for each in report.diagnoses] == ["GPU not visible"]
