"""The validation on the local environment: nodes, admission and start, and what a run leaves behind."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from kubernetes import client

from .conftest import Platform, copy_project
from .kill_engine import kill_when
from .stack_objects import counts

API = "trainer.kubeflow.org/v1alpha1"
RUNTIMES = ("deepspeed-distributed", "mlx-distributed")
NAMESPACE = "default"
KILLS = [each / 2 for each in range(10 if os.environ.get("SOAK") else 2)]
"""Seconds after the creation of the first TrainJob at which `up` is killed."""

PHASES = {"nodes": "passed", "admission": "passed", "start": "passed", "training": "not checked"}


@pytest.fixture(scope="module")
def validated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """A platform that was validated when it was deployed."""
    platform = copy_project(tmp_path_factory.mktemp("validated"))
    platform.edit(validation={})
    platform.succeed("up")
    yield platform
    platform.run("down")


def core(platform: Platform) -> client.CoreV1Api:
    return client.CoreV1Api(platform.cluster().client)


def reports(platform: Platform) -> dict[str, Any]:
    """The reports in the cluster, by runtime."""
    selector = "training-platform/validation=true"
    found = core(platform).list_namespaced_config_map(NAMESPACE, label_selector=selector).items
    everything = [json.loads(each.data["report.json"]) for each in found]
    return {each["runtime"]: each for each in everything}


def outcomes(report: dict[str, Any]) -> dict[str, str]:
    return {phase: result["outcome"] for phase, result in report["phases"].items()}


def left_over(platform: Platform) -> list[str]:
    """TrainJobs and pods of validations."""
    pods = core(platform).list_namespaced_pod(NAMESPACE).items
    return [*platform.names(API, "TrainJob"), *(pod.metadata.name for pod in pods)]


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "stacks", "validate", "local", *arguments]


def validate(platform: Platform, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command(*arguments), cwd=platform.project, capture_output=True, text=True, check=False)
    assert left_over(platform) == []
    return done


def test_up_validates_all_runtimes_and_keeps_their_reports(validated: Platform) -> None:
    found = reports(validated)
    assert sorted(found) == sorted(RUNTIMES)
    assert {runtime: outcomes(report) for runtime, report in found.items()} == dict.fromkeys(RUNTIMES, PHASES)
    assert left_over(validated) == []


def test_nothing_changes_afterwards(validated: Platform) -> None:
    assert set(counts(validated.succeed("preview"))) == {"unchanged"}
    assert set(counts(validated.succeed("refresh"))) == {"unchanged"}
    output = validated.succeed("up")
    assert set(counts(output)) == {"unchanged"}
    assert "deepspeed-distributed: {" in output  # the output of the stack, from its state


def test_changed_runtime_is_validated_again_and_a_preview_says_so(validated: Platform) -> None:
    before = {each.metadata.name: each.metadata.resource_version for each in report_maps(validated)}
    runtimes = validated.sections("runtimes")["runtimes"]
    validated.edit(runtimes={**runtimes, "mlx-distributed": {**runtimes["mlx-distributed"], "sharedMemory": "1Gi"}})
    preview = validated.succeed("preview")
    assert "platform-validation:mlx-distributed" in preview
    assert "platform-validation:deepspeed-distributed" not in preview
    validated.succeed("up")
    changed = {
        each.metadata.name
        for each in report_maps(validated)
        if each.metadata.resource_version != before[each.metadata.name]
    }
    assert changed == {"training-validation-mlx-distributed"}


def report_maps(platform: Platform) -> list[Any]:
    selector = "training-platform/validation=true"
    return list(core(platform).list_namespaced_config_map(NAMESPACE, label_selector=selector).items)


def test_command_validates_without_changing_the_reports(validated: Platform) -> None:
    before = [each.metadata.resource_version for each in report_maps(validated)]
    start = time.monotonic()
    done = validate(validated, "--output", "json")
    print(f"{time.monotonic() - start:.1f} s")
    assert done.returncode == 0, done.stderr
    assert {each["runtime"]: outcomes(each) for each in json.loads(done.stdout)} == dict.fromkeys(RUNTIMES, PHASES)
    assert [each.metadata.resource_version for each in report_maps(validated)] == before


def test_cluster_of_another_context_is_validated(validated: Platform) -> None:
    file = validated.project / ".local" / "kubeconfig"
    cluster = validated.sections("cluster")["cluster"]
    validated.edit(cluster={"context": "another"})
    try:
        arguments = ("--context", cluster["context"], "--kubeconfig", str(file), "--runtime", "mlx-distributed")
        done = validate(validated, *arguments)
    finally:
        validated.edit(cluster=cluster)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("mlx-distributed on gpu: passed\n")


def test_quota_is_named(validated: Platform) -> None:
    quota = {"metadata": {"name": "small"}, "spec": {"hard": {"pods": "1"}}}
    core(validated).create_namespaced_resource_quota(NAMESPACE, quota)
    validated.edit(validation={"timeoutSeconds": 10})
    try:
        done = validate(validated, "--runtime", "mlx-distributed")
    finally:
        core(validated).delete_namespaced_resource_quota("small", NAMESPACE)
        validated.edit(validation={})
    assert done.returncode == 1
    assert "admission: quota exceeded (TrainJob)" in done.stdout


def test_webhook_that_does_not_answer_is_named(validated: Platform) -> None:
    webhooks = client.AdmissionregistrationV1Api(validated.cluster().client)
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"], "scope": "*"}
    webhook = {
        "name": "policy.example.com",
        "clientConfig": {"url": "https://127.0.0.1:1/"},
        "rules": [rule],
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": NAMESPACE}},
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "timeoutSeconds": 1,
    }
    body = {"metadata": {"name": "policy"}, "webhooks": [webhook]}
    webhooks.create_validating_webhook_configuration(body)
    validated.edit(validation={"timeoutSeconds": 10})
    try:
        done = validate(validated, "--runtime", "mlx-distributed")
    finally:
        webhooks.delete_validating_webhook_configuration("policy")
        validated.edit(validation={})
    assert done.returncode == 1
    assert "admission: webhook refused (TrainJob)" in done.stdout


def test_nodes_with_fewer_gpus_than_the_pool_promises_are_named(validated: Platform) -> None:
    pools = validated.sections("gpuNodePools")["gpuNodePools"]
    validated.edit(gpuNodePools={"gpu": {**pools["gpu"], "gpusPerNode": 16}})
    try:
        done = validate(validated, "--runtime", "mlx-distributed")
    finally:
        validated.edit(gpuNodePools=pools)
    assert done.returncode == 1
    assert "nodes: GPUs missing (node gpu-0)\n    | nvidia.com/gpu: 8 allocatable, 16 expected" in done.stdout


def test_pods_that_no_node_fits_are_named(validated: Platform) -> None:
    for node in core(validated).list_node().items:
        core(validated).patch_node(node.metadata.name, {"spec": {"unschedulable": True}})
    validated.edit(validation={"timeoutSeconds": 10})
    try:
        done = validate(validated, "--runtime", "mlx-distributed")
    finally:
        for node in core(validated).list_node().items:
            core(validated).patch_node(node.metadata.name, {"spec": {"unschedulable": None}})
        validated.edit(validation={})
    assert done.returncode == 1
    assert "start: no node that fits (pod validate-mlx-distributed-" in done.stdout


def test_strict_validation_fails_up_until_it_passes(validated: Platform) -> None:
    quota = {"metadata": {"name": "small"}, "spec": {"hard": {"pods": "1"}}}
    core(validated).create_namespaced_resource_quota(NAMESPACE, quota)
    validated.edit(validation={"timeoutSeconds": 11, "strict": True, "runtimes": ["mlx-distributed"]})
    try:
        for _ in range(2):
            failed = validated.run("up")
            assert failed.returncode == 1
            assert "quota exceeded" in failed.stdout
            assert outcomes(reports(validated)["mlx-distributed"])["admission"] == "failed"
            assert left_over(validated) == []
    finally:
        core(validated).delete_namespaced_resource_quota("small", NAMESPACE)
    validated.succeed("up")
    assert reports(validated).keys() == {"mlx-distributed"}
    assert outcomes(reports(validated)["mlx-distributed"]) == PHASES
    validated.edit(validation={})
    validated.succeed("up")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "kill -9"])
def test_interrupted_command_leaves_nothing_that_the_next_one_does_not_clear(
    validated: Platform, number: signal.Signals
) -> None:
    users = {
        "apiVersion": API,
        "kind": "TrainJob",
        "metadata": {"name": "of-a-user", "labels": {"training-platform/validation": "true"}},
        "spec": {"runtimeRef": {"name": "mlx-distributed"}, "suspend": True},
    }
    trainjobs = validated.cluster().resources.get(api_version=API, kind="TrainJob")
    trainjobs.create(body=users, namespace=NAMESPACE)
    process = subprocess.Popen(command(), cwd=validated.project, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 30
    while len(validated.names(API, "TrainJob")) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(number)
    assert process.wait(30) == (130 if number == signal.SIGINT else -signal.SIGKILL)
    left = validated.names(API, "TrainJob")
    assert len(left) == (1 if number == signal.SIGINT else 2)
    done = subprocess.run(command(), cwd=validated.project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert validated.names(API, "TrainJob") == ["of-a-user"]
    trainjobs.delete(name="of-a-user", namespace=NAMESPACE)


@pytest.mark.parametrize("seconds", KILLS)
def test_up_after_a_killed_up_clears_what_it_left(validated: Platform, seconds: float) -> None:
    # Another time limit is another validation.
    limit = validated.sections("validation")["validation"].get("timeoutSeconds", 600)
    validated.edit(validation={"timeoutSeconds": limit + 1})
    deadline: list[float] = []

    def is_late() -> bool:
        if not deadline and validated.names(API, "TrainJob"):
            deadline.append(time.monotonic() + seconds)
        return bool(deadline) and time.monotonic() >= deadline[0]

    kill_when(validated, "up", is_late)
    validated.succeed("up")
    assert left_over(validated) == []
    assert sorted(reports(validated)) == sorted(RUNTIMES)
    assert set(counts(validated.succeed("preview"))) == {"unchanged"}


def test_up_after_ctrl_c_clears_what_it_left(validated: Platform) -> None:
    validated.edit(validation={"timeoutSeconds": 300})
    process = validated.start("up")
    while not validated.names(API, "TrainJob"):
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode != 0, output
    validated.succeed("up")
    assert left_over(validated) == []
    assert sorted(reports(validated)) == sorted(RUNTIMES)


def test_validation_that_is_removed_takes_its_reports_with_it(validated: Platform) -> None:
    validated.edit(validation=None)
    validated.succeed("up")
    assert reports(validated) == {}
    assert set(counts(validated.succeed("preview"))) == {"unchanged"}
