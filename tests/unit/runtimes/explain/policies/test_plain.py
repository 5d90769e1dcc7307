"""Runtimes without a framework."""

import pytest

from tests.unit.runtimes.explain.pairs import VERSIONS, explained, job, runtime, variables


@pytest.mark.parametrize("version", VERSIONS)
def test_node_count_and_environment_are_the_train_job_s(version: str) -> None:
    explanation = explained(
        runtime(policy={"numNodes": 2}), version, trainer={"numNodes": 3, "env": [{"name": "A", "value": "1"}]}
    )
    assert [(each.name, each.pods) for each in explanation.jobs] == [("tj-node-0", 3)]
    assert variables(explanation) == {"A": "1"}


@pytest.mark.parametrize("version", VERSIONS)
def test_without_a_train_job_s_count_it_is_the_runtime_s(version: str) -> None:
    assert [each.pods for each in explained(runtime(policy={"numNodes": 2}), version).jobs] == [2]


def test_a_job_without_the_label_keeps_its_parallelism() -> None:
    made = runtime(job("helper", ancestor=None, spec={"parallelism": 3}), job(), policy={"numNodes": 2})
    assert [each.pods for each in explained(made, trainer={"numNodes": 5}).jobs] == [3, 5]


def test_sources_that_trainer_does_not_copy_are_lost() -> None:
    given = [
        {"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name", "apiVersion": "v1"}}},
        {"name": "B", "valueFrom": {"fileKeyRef": {"volumeName": "v", "path": "p", "key": "k"}}},
    ]
    assert variables(explained(runtime(), trainer={"env": given})) == {
        "A": "{'fieldRef': {'fieldPath': 'metadata.name'}}",
        "B": "",
    }
