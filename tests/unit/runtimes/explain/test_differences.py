"""What differs between two explanations."""

from typing import Any

from components.runtimes.api import BaseTrainingRuntime
from components.runtimes.catalog import deepspeed, torch
from components.runtimes.explain import differences, explain


def between(old: BaseTrainingRuntime, new: BaseTrainingRuntime) -> list[str]:
    return [*differences(explain(old), explain(new))]


def changed(runtime: BaseTrainingRuntime, job: int = 0, **pod: Any) -> BaseTrainingRuntime:
    """The runtime with other fields in the pods of a job, or in its first container."""
    manifest = runtime.to_manifest()
    spec = manifest["spec"]["template"]["spec"]["replicatedJobs"][job]["template"]["spec"]["template"]["spec"]
    spec["containers"][0] |= pod.pop("container", {})
    spec |= pod
    return BaseTrainingRuntime.model_validate(manifest, by_alias=True, by_name=False)


def test_equal_runtimes_do_not_differ() -> None:
    assert between(deepspeed(nodes=4), deepspeed(nodes=4)) == []


def test_the_number_of_nodes_is_reported_for_each_job_and_in_what_follows_from_it() -> None:
    assert between(torch(nodes=2), torch(nodes=4)) == [
        "Job node has 4 pods instead of 2.",
        "Container node of node: PET_NNODES is changed in the environment.",
    ]
    assert between(deepspeed(nodes=2), deepspeed(nodes=4)) == [
        "Job node has 3 pods instead of 1.",
        "ConfigMap train-mpi-hostfile changes.",
    ]


def test_variables_are_named_without_their_values() -> None:
    old = torch(env={"GONE": "secret-1", "CHANGED": "secret-2"})
    new = torch(env={"CHANGED": "secret-3", "NEW": "secret-4", "NEWER": "secret-5"})
    assert between(old, new) == [
        "Container node of node: NEW, NEWER are added in the environment.",
        "Container node of node: GONE is removed in the environment.",
        "Container node of node: CHANGED is changed in the environment.",
    ]


def test_order_is_reported() -> None:
    old = deepspeed(nodes=2).to_manifest()
    del old["spec"]["template"]["spec"]["replicatedJobs"][1]["dependsOn"]
    before = BaseTrainingRuntime.model_validate(old, by_alias=True, by_name=False)
    assert between(before, deepspeed(nodes=2)) == [
        "Order: Job train-launcher-0, when all pods of node are ready; before, when the JobSet exists."
    ]


def test_fields_of_pods_and_containers_are_named() -> None:
    new = changed(torch(), container={"image": "other", "command": ["a"]}, nodeSelector={"a": "b"})
    assert between(torch(), new) == [
        "Pods of node: nodeSelector changes.",
        "Container node of node: image, command change.",
    ]
    more = changed(torch(), containers=[{"name": "other", "image": "a"}])
    assert between(torch(), more) == [
        "Pods of node: container node is removed.",
        "Pods of node: container other is added.",
    ]


def test_jobs_and_objects_are_added_and_removed() -> None:
    found = between(torch(), deepspeed(nodes=2))
    assert "Job launcher is added, with 1 pod." in found
    assert "ConfigMap train-mpi-hostfile is created." in found
    assert "Secret train-mpi-ssh-auth is created." in found
    assert "JobSet: successPolicy changes." in found
    assert "Job launcher is removed." in between(deepspeed(nodes=2), torch())


def test_a_failure_is_reported() -> None:
    manifest = deepspeed(nodes=2).to_manifest()
    manifest["spec"]["mlPolicy"]["mpi"]["mpiImplementation"] = ""
    broken = BaseTrainingRuntime.model_validate(manifest, by_alias=True, by_name=False)
    assert explain(broken).failure
    assert between(deepspeed(nodes=2), broken)[0] == f"TrainJobs fail: {explain(broken).failure}"
    assert between(broken, deepspeed(nodes=2))[0] == f"TrainJobs no longer fail: {explain(broken).failure}"
