"""JAX's environment."""

import pytest

from tests.unit.runtimes.explain.pairs import container, explained, job, runtime, variables

RANK = "{'fieldRef': {'fieldPath': \"metadata.annotations['batch.kubernetes.io/job-completion-index']\"}}"


@pytest.mark.parametrize("version", ["2.2.0", "2.3.0"])
def test_the_coordinator_is_the_first_node(version: str) -> None:
    explanation = explained(runtime(policy={"jax": {}}), version, trainer={"numNodes": 2})
    assert variables(explanation) == {
        "JAX_NUM_PROCESSES": "2",
        "JAX_PROCESS_ID": RANK,
        "JAX_COORDINATOR_ADDRESS": "tj-node-0-0.tj:29500",
    }
    assert container(explanation)["ports"] == [{"containerPort": 29500, "protocol": "TCP"}]
    assert [each.pods for each in explanation.jobs] == [2]


def test_trainer_2_0_has_no_jax() -> None:
    explanation = explained(runtime(policy={"jax": {}}), "2.0.0", trainer={"numNodes": 2})
    assert variables(explanation) == {}
    assert explanation.notes[0] == "runtime: Trainer 2.0.0 does not know spec.mlPolicy.jax."


def test_the_environment_of_the_train_job_comes_after() -> None:
    explanation = explained(runtime(policy={"jax": {}}), trainer={"env": [{"name": "A", "value": "1"}]})
    assert [*variables(explanation)] == ["JAX_NUM_PROCESSES", "JAX_PROCESS_ID", "JAX_COORDINATOR_ADDRESS", "A"]


def test_a_runtime_without_a_job_that_trains_gets_nothing() -> None:
    made = runtime(job(ancestor=None), policy={"jax": {}})
    assert variables(explained(made, trainer={"numNodes": 2})) == {}
    assert explained(made, "2.2.0", trainer={}).failure == (
        "Trainer's JAX plugin panics: no job has the ancestor label trainer."
    )
