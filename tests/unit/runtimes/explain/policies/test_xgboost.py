"""XGBoost's environment."""

import pytest

from tests.unit.runtimes.explain.pairs import explained, job, runtime, variables

RANK = "{'fieldRef': {'fieldPath': \"metadata.annotations['batch.kubernetes.io/job-completion-index']\"}}"


@pytest.mark.parametrize("version", ["2.2.0", "2.3.0"])
def test_there_is_a_worker_for_each_gpu(version: str) -> None:
    made = runtime(job(container={"resources": {"limits": {"nvidia.com/gpu": 4}}}), policy={"xgboost": {}})
    assert variables(explained(made, version, trainer={"numNodes": 2})) == {
        "DMLC_TRACKER_URI": "tj-node-0-0.tj",
        "DMLC_TRACKER_PORT": "29500",
        "DMLC_TASK_ID": RANK,
        "DMLC_NUM_WORKER": "8",
    }


def test_without_gpus_there_is_a_worker_for_each_node() -> None:
    explanation = explained(runtime(policy={"numNodes": 3, "xgboost": {}}), trainer={})
    assert variables(explanation)["DMLC_NUM_WORKER"] == "3"


def test_the_order_of_the_variables_is_not_fixed() -> None:
    explanation = explained(runtime(policy={"xgboost": {}}), trainer={"env": [{"name": "A", "value": "1"}]})
    assert explanation.notes == (
        "The TrainJob's variables may also come after DMLC_*: Trainer's plugins have no fixed order.",
    )
