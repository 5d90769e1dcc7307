"""Torchrun's environment."""

from typing import Any

import pytest

from components.runtimes.catalog import torch
from tests.unit.runtimes.explain.pairs import VERSIONS, container, explained, job, runtime, variables

RANK = "{'fieldRef': {'fieldPath': \"metadata.annotations['batch.kubernetes.io/job-completion-index']\"}}"
GPUS = {"limits": {"nvidia.com/gpu": 8}}


def processes(trainer: str, resources: dict[str, Any] | None = None, **given: Any) -> str:
    made = runtime(job(container={"resources": resources} if resources else {}), policy={"torch": {}})
    return variables(explained(made, trainer, trainer=given))["PET_NPROC_PER_NODE"]


@pytest.mark.parametrize("trainer", VERSIONS)
def test_each_release_sets_the_same_variables_in_the_same_order(trainer: str) -> None:
    made = runtime(job(container={"env": [{"name": "MINE", "value": "1"}]}), policy={"numNodes": 2, "torch": {}})
    explanation = explained(made, trainer, trainer={"numNodes": 4, "env": [{"name": "A", "value": "2"}]})
    assert list(variables(explanation).items()) == [
        ("MINE", "1"),
        ("A", "2"),
        ("PET_NNODES", "4"),
        ("PET_NPROC_PER_NODE", "auto" if trainer == "2.0.0" else "1"),
        ("PET_NODE_RANK", RANK),
        ("PET_MASTER_ADDR", "tj-node-0-0.tj"),
        ("PET_MASTER_PORT", "29500"),
    ]


@pytest.mark.parametrize("trainer", VERSIONS)
def test_a_train_job_without_trainer_gets_no_environment(trainer: str) -> None:
    explanation = explained(runtime(policy={"torch": {}}), trainer)
    assert variables(explanation) == {}
    assert "ports" not in container(explanation)
    assert explanation.notes == (
        "The TrainJob has no spec.trainer, so Trainer sets no environment of torch. Add trainer: {}.",
    )


@pytest.mark.parametrize(
    ("trainer", "resources", "given", "expected"),
    [
        ("2.3.0", None, {}, "1"),
        ("2.3.0", {"requests": {"cpu": "3500m"}}, {}, "4"),
        ("2.3.0", {"limits": {"cpu": 6}}, {}, "6"),
        ("2.3.0", GPUS, {}, "auto"),
        ("2.3.0", GPUS, {"numProcPerNode": 2}, "2"),
        # The TrainJob's resources count alone, though the runtime's GPUs stay in the container.
        ("2.3.0", GPUS, {"resourcesPerNode": {"limits": {"cpu": 4}}}, "4"),
        ("2.2.0", GPUS, {}, "auto"),
        ("2.0.0", GPUS, {}, "auto"),
        ("2.0.0", None, {"resourcesPerNode": {"limits": {"cpu": "2500m"}}}, "3"),
        ("2.0.0", None, {"resourcesPerNode": {"requests": {"cpu": 5}}}, "5"),
        # Without requests 2.0 says 1, GPUs or not, and whatever was given.
        ("2.0.0", None, {"resourcesPerNode": GPUS}, "1"),
        ("2.0.0", None, {"resourcesPerNode": GPUS, "numProcPerNode": 8}, "1"),
        ("2.0.0", None, {"resourcesPerNode": {**GPUS, "requests": {"nvidia.com/gpu": 8}}}, "auto"),
        ("2.0.0", None, {"resourcesPerNode": {"requests": {"cpu": 5}}, "numProcPerNode": "cpu"}, "5"),
        ("2.0.0", None, {"numProcPerNode": "gpu"}, "gpu"),
    ],
)
def test_processes_follow_from_resources(
    trainer: str, resources: dict[str, Any] | None, given: dict[str, Any], expected: str
) -> None:
    assert processes(trainer, resources, **given) == expected


def test_other_containers_get_the_environment_by_injection_even_without_trainer() -> None:
    helper = {"name": "check", "image": "a:1"}
    targets = [{"jobName": "node", "containerNames": ["check"]}]
    made = runtime(
        job(pod={"containers": [{"name": "node", "image": "a:1"}], "initContainers": [helper]}),
        policy={"torch": {"envInjection": {"targets": targets}}},
    )
    explanation = explained(made)
    assert [*variables(explanation, name="check")] == [
        "PET_NNODES",
        "PET_NPROC_PER_NODE",
        "PET_NODE_RANK",
        "PET_MASTER_ADDR",
        "PET_MASTER_PORT",
    ]
    assert variables(explanation) == {}
    assert variables(explained(made, "2.2.0"), name="check") == {}


def test_a_port_without_a_name_gives_way_to_the_trainer_s() -> None:
    made = runtime(job(container={"ports": [{"containerPort": 8080}]}), policy={"torch": {}})
    assert container(explained(made, trainer={}))["ports"] == [{"containerPort": 29500, "protocol": "TCP"}]
    named = runtime(job(container={"ports": [{"containerPort": 8080, "name": "http"}]}), policy={"torch": {}})
    assert container(explained(named, trainer={}))["ports"] == [
        {"containerPort": 8080, "name": "http", "protocol": "TCP"},
        {"containerPort": 29500, "protocol": "TCP"},
    ]


def test_the_catalogue_s_runtime_says_who_sets_what() -> None:
    explanation = explained(torch(), trainer={"env": [{"name": "A", "value": "1"}]})
    assert [(each.name, each.origin) for each in explanation.environment] == [
        ("A", "TrainJob trainer.env"),
        ("PET_NNODES", "Trainer (torch)"),
        ("PET_NPROC_PER_NODE", "Trainer (torch)"),
        ("PET_NODE_RANK", "Trainer (torch)"),
        ("PET_MASTER_ADDR", "Trainer (torch)"),
        ("PET_MASTER_PORT", "Trainer (torch)"),
        ("JOB_COMPLETION_INDEX", "Job controller"),
    ]
