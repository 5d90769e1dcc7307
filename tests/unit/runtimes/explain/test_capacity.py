"""The nodes of a pool that a training takes."""

import pytest

from components.runtimes.catalog import deepspeed, torch
from components.runtimes.explain import Capacity, explain
from components.runtimes.placement import Placement
from tests.unit.runtimes.explain.pairs import job, runtime, train_job


def test_each_training_pod_without_gpus_takes_a_node() -> None:
    pool = Placement(gpus_per_node=8, max_nodes=16)
    explanation = explain(deepspeed(), train_job(trainer={"numNodes": 4}), pool)
    assert explanation.capacity == Capacity(nodes=4, available=16)
    assert explanation.can_start


def test_pods_share_a_node_s_gpus() -> None:
    limits = {"resources": {"limits": {"nvidia.com/gpu": 2}}}
    explanation = explain(
        runtime(job(container=limits), policy={"numNodes": 6}), train_job(), Placement(gpus_per_node=8, max_nodes=1)
    )
    assert explanation.capacity == Capacity(nodes=2, available=1)
    assert not explanation.can_start


def test_initializers_and_helpers_take_no_node() -> None:
    made = runtime(job("model-initializer", ancestor="model-initializer"), job("helper", ancestor=None), job())
    assert explain(made, train_job(), Placement(gpus_per_node=8)).capacity == Capacity(nodes=1, available=None)


@pytest.mark.parametrize(("as_node", "nodes"), [(True, 2), (False, 1)])
def test_a_launcher_takes_a_node_if_it_trains(as_node: bool, nodes: int) -> None:
    made = runtime(job(ancestor=None), job("launcher"), policy={"mpi": {"runLauncherAsNode": as_node}})
    assert explain(made, train_job(), Placement(gpus_per_node=8)).capacity == Capacity(nodes=nodes, available=None)


def test_without_a_pool_it_is_unknown() -> None:
    assert explain(torch()).capacity is None
