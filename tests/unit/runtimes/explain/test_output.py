"""Explanations as data."""

import json

import pytest
import yaml

from components.runtimes.catalog import deepspeed
from components.runtimes.explain import explain
from components.runtimes.explain.output import OUTPUTS, to_data
from components.runtimes.placement import Placement
from tests.unit.runtimes.explain.pairs import explained, runtime


def test_the_data_have_all_parts() -> None:
    data = to_data(explain(deepspeed(), pool=Placement(gpus_per_node=8, max_nodes=4)))
    assert [*data] == [
        "trainer",
        "jobset",
        "runtime",
        "trainJob",
        "order",
        "jobs",
        "environment",
        "volumes",
        "nodes",
        "laterChanges",
        "notes",
        "objects",
    ]
    assert data["nodes"] == {"needed": 2, "available": 4, "fits": True}
    assert data["jobs"][0] == {
        "name": "train-node-0",
        "replicatedJob": "node",
        "pods": 1,
        "hosts": ["train-node-0-0.train"],
    }


@pytest.mark.parametrize("name", ["json", "yaml"])
def test_json_and_yaml_are_the_data(name: str) -> None:
    explanation = explained(deepspeed())
    read = json.loads if name == "json" else yaml.safe_load
    assert read(OUTPUTS[name](explanation)) == to_data(explanation)


def test_a_failure_is_one_of_the_data() -> None:
    data = to_data(explained(runtime(policy={"flux": {}})))
    assert data["failure"] == "Trainer's Flux plugin panics: the TrainJob has no spec.trainer."
