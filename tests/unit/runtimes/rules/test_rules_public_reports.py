"""Runtimes that people published, or with which they reported bugs of Trainer, in our own words, and what each is told.

Each name says where a runtime is from. An earlier version of the rules failed on all of them: it said nothing, or its
fix was one that another rule refuses.
"""

from typing import Any

import pytest

from components.runtimes import InvalidRuntimeError, deepspeed, mlx, torch, torch_with_cache, torchtune
from components.validation.violation import Severity

from .reports import REPORTS, torch_runtime
from .samples import (
    FRAMEWORK,
    HELPED,
    MPI,
    TORCH,
    Manifest,
    changed,
    container,
    violations,
)


def told(manifest: Manifest) -> list[tuple[str, str, str]]:
    """Rule, severity and fix of everything that is said."""
    return [(found.rule, found.severity.value, found.fix) for found in violations(manifest)]


@pytest.mark.parametrize("report", REPORTS)
def test_reported_mistake_gets_its_fix(report: str) -> None:
    manifest, expected = REPORTS[report]
    assert told(manifest) == expected


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("deepspeed", "Write spec.mlPolicy.mpi: DeepSpeed starts under MPI."),
        ("mlx", "Write spec.mlPolicy.mpi: MLX starts under MPI."),
        ("horovod", "Write spec.mlPolicy.mpi: Horovod starts under MPI."),
        (
            "tensorflow",
            "Remove it: Trainer 2.3 has no policy for TensorFlow, and starts such a training as a plain one.",
        ),
        (
            "paddle",
            "Remove it: Trainer 2.3 has no policy for PaddlePaddle, and starts such a training as a plain one.",
        ),
        ("pytorch", "Did you mean torch?"),
    ],
)
def test_fix_for_a_framework_name_is_its_policy(name: str, fix: str) -> None:
    """A UI that writes `mlPolicy: {deepspeed: {}}`: without the key it would be a plain runtime, with no ssh key."""
    manifest = changed(torch_runtime(), {"spec.mlPolicy.torch": None, f"spec.mlPolicy.{name}": {}})
    del manifest["metadata"]["labels"]
    found = told(manifest)
    assert ("CTR-36", "error", fix) in found
    assert ("SIL-04" in [rule for rule, *_ in found]) == ("mlPolicy.mpi" in fix)


@pytest.mark.parametrize(
    ("field", "value", "fix"),
    [
        (
            "spec.runPolicy",
            {"ttlSecondsAfterFinished": 60},
            "Remove it: for ttlSecondsAfterFinished there is nothing (",
        ),
        ("spec.runPolicy", {"cleanPodPolicy": "None"}, "Remove it: for cleanPodPolicy there is nothing ("),
        ("spec.runPolicy", {"suspend": True}, "Remove it: for suspend there is the suspend of TrainJobs."),
        ("spec.runPolicy", {"schedulingPolicy": {}}, "Remove it: for schedulingPolicy there is spec.podGroupPolicy."),
        ("spec.pytorchReplicaSpecs", {}, "Remove it, and write one job a role in spec.template.spec.replicatedJobs."),
        ("spec.slotsPerWorker", 8, "Write spec.mlPolicy.mpi.numProcPerNode."),
        ("spec.trainer", {"numNodes": 2}, "Remove it: it belongs to the TrainJobs, which say it for themselves."),
        ("spec.suspend", True, "Remove it: it belongs to the TrainJobs, which say it for themselves."),
        ("spec.numNodes", 2, "Move it to spec.mlPolicy.numNodes."),
        ("spec.mlPolicy.torch.maxRestarts", 2, "Move it to spec.template.spec.failurePolicy.maxRestarts."),
        (
            f"{container(0)}.nodeSelector",
            {},
            "Move it to spec.template.spec.replicatedJobs[].template.spec.template.spec.",
        ),
        (
            f"{container(0)}.securityContext.fsGroup",
            1,
            "Move it to spec.template.spec.replicatedJobs[].template.spec.",
        ),
        ("spec.mlPolicy.torch.topologyKey", "zone", "Remove it. Known fields: envInjection."),
        ("spec.scheduling", {"gang": {}}, "Remove it. For gang scheduling use Kueue, or coscheduling or volcano in "),
        (
            "spec.podGroupPolicy.workload",
            {},
            "Remove it. For gang scheduling use Kueue, or coscheduling or volcano in ",
        ),
    ],
)
def test_fix_for_a_field_of_another_api_is_the_equivalent_field(field: str, value: Any, fix: str) -> None:
    (found,) = (found for found in violations(changed(TORCH, {field: value})) if found.rule == "CTR-36")
    assert found.fix[: len(fix)] == fix


@pytest.mark.parametrize("field", ["spec.scheduling", "spec.podGroupPolicy.workload"])
def test_message_about_a_planned_field_names_its_version(field: str) -> None:
    (found,) = violations(changed(TORCH, {field: {}}))
    name = field.rpartition(".")[2]
    assert found.message == f"{name} is planned for Trainer 2.4 (KEP-3015); up to 2.3 it is rejected or dropped."


@pytest.mark.parametrize("name", ["MPICH", "Intel", "intel"])
def test_message_about_other_mpi_implementations_names_open_mpi(name: str) -> None:
    (found,) = violations(changed(MPI, {"spec.mlPolicy.mpi.mpiImplementation": name}))
    assert found.message == (
        f'"{name}" is not supported here: Trainer 2.3.0 writes Open MPI\'s hostfile and variables, and no others.'
    )


@pytest.mark.parametrize(
    ("framework", "policy"),
    [
        ("mlx", "{numNodes: 1, mpi: {}}"),
        ("deepspeed", "{numNodes: 1, mpi: {}}"),
        ("torch", "{numNodes: 1, torch: {}}"),
        ("jax", "{numNodes: 1, jax: {}}"),
        ("flux", "{numNodes: 1, flux: {}}"),
        ("ours", "{numNodes: 1}"),
    ],
)
def test_fix_for_a_labelled_runtime_without_policy_is_the_policy_of_its_label(framework: str, policy: str) -> None:
    manifest = changed(HELPED, {"spec.mlPolicy": None, "metadata.labels": {FRAMEWORK: framework}})
    assert ("SDK-02", "warning", f"Set mlPolicy, e.g. {policy}.") in told(manifest)


def test_ttl_of_a_catalogue_runtime_is_a_warning() -> None:
    assert [found.rule for found in torch(ttl_seconds_after_finished=60).check()] == ["RUN-21"]
    assert torch().check() == ()


@pytest.mark.parametrize("build", [deepspeed, mlx])
def test_catalogue_runtimes_work_with_the_kai_scheduler(build: Any) -> None:
    runtime = build(scheduler="kai-scheduler")
    assert runtime.check() == ()
    assert "dependsOn" not in str(runtime.to_manifest())
    assert "dependsOn" in str(build().to_manifest())


@pytest.mark.parametrize("build", [torchtune, torch_with_cache])
def test_initializers_with_the_kai_scheduler_are_reported(build: Any) -> None:
    with pytest.raises(InvalidRuntimeError) as refused:
        build(scheduler="kai-scheduler")
    assert [(found.rule, found.severity) for found in refused.value.violations] == [("CAT-22", Severity.ERROR)]


@pytest.mark.parametrize(("size", "rules"), [("128Gi", ["RUN-22"]), ("64Gi", []), ("65G", [])])
def test_more_shared_memory_than_memory_is_reported(size: str, rules: list[str]) -> None:
    runtime = torch(gpus_per_node=8, memory_per_node="64Gi", shared_memory=size)
    assert [found.rule for found in runtime.check()] == rules
