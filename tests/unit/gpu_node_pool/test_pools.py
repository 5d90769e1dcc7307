"""What a pool's spec means: labels, taints, placement, Node objects, patches. No Pulumi runs here."""

from typing import Any

import pytest
from pydantic import ValidationError

from components.gpu_node_pool.existing import node_patch
from components.gpu_node_pool.pools import ExistingPool, SimulatedPool, placement
from components.gpu_node_pool.simulated import node_manifest
from components.violation import Severity

SIMULATED: dict[str, Any] = {"provider": "simulated", "nodes": 4, "gpusPerNode": 8}
EXISTING: dict[str, Any] = {"provider": "existing", "nodes": ["a", "b.example.com"], "gpusPerNode": 4}
GPU_TOLERATION = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}


def wire(spec: SimulatedPool | ExistingPool) -> dict[str, Any]:
    return placement("gpu", spec).model_dump(mode="json", by_alias=True, exclude_none=True)


def test_pods_find_a_pool_by_its_label_and_tolerate_its_taint() -> None:
    assert wire(SimulatedPool.model_validate(SIMULATED)) == {
        "nodeSelector": {"training-platform/node-pool": "gpu"},
        "tolerations": [GPU_TOLERATION],
        "gpuResource": "nvidia.com/gpu",
        "gpusPerNode": 8,
        "cpuPerNode": "64",
        "memoryPerNode": "512Gi",
        "maxNodes": 4,
    }


def test_the_pools_label_is_the_same_on_every_provider() -> None:
    assert wire(ExistingPool.model_validate(EXISTING)) == {
        "nodeSelector": {"training-platform/node-pool": "gpu"},
        "tolerations": [GPU_TOLERATION],
        "gpuResource": "nvidia.com/gpu",
        "gpusPerNode": 4,
        "maxNodes": 2,
    }


def test_other_gpus_than_nvidias_are_asked_for_by_their_own_name() -> None:
    assert (
        wire(SimulatedPool.model_validate({**SIMULATED, "gpuResource": "amd.com/gpu"}))["gpuResource"] == "amd.com/gpu"
    )


def test_taints_that_existing_nodes_carry_are_tolerated_instead_of_ours() -> None:
    taints = [
        {"key": "dedicated", "value": "ml", "effect": "NoSchedule"},
        {"key": "spot", "effect": "NoExecute"},
        {"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"},
    ]
    assert wire(ExistingPool.model_validate({**EXISTING, "taints": taints}))["tolerations"] == [
        {"key": "dedicated", "operator": "Equal", "value": "ml", "effect": "NoSchedule"},
        {"key": "spot", "operator": "Exists", "effect": "NoExecute"},
        GPU_TOLERATION,
    ]


def test_a_simulated_node_says_in_its_status_what_it_has() -> None:
    spec = SimulatedPool.model_validate({**SIMULATED, "cpu": 96, "memory": "1Ti", "pods": 30, "labels": {"zone": "x"}})
    has = {"cpu": "96", "memory": "1Ti", "pods": "30", "nvidia.com/gpu": "8"}
    assert node_manifest("gpu", "gpu-2", spec) == {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": "gpu-2",
            "labels": {"kubernetes.io/hostname": "gpu-2", "zone": "x", "training-platform/node-pool": "gpu"},
            "annotations": {"kwok.x-k8s.io/node": "fake"},
        },
        "spec": {"taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}]},
        "status": {"capacity": has, "allocatable": has},
    }


def test_a_simulated_node_is_a_large_one_by_default() -> None:
    status = node_manifest("gpu", "gpu-0", SimulatedPool.model_validate(SIMULATED))["status"]
    assert status["allocatable"] == {"cpu": "64", "memory": "512Gi", "pods": "110", "nvidia.com/gpu": "8"}


def test_an_existing_node_gets_labels_and_the_gpu_taint() -> None:
    spec = ExistingPool.model_validate({**EXISTING, "labels": {"team": "ml"}})
    assert node_patch("gpu", "a", spec) == {
        "metadata": {"name": "a", "labels": {"team": "ml", "training-platform/node-pool": "gpu"}},
        "spec": {"taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}]},
    }


def test_an_existing_node_that_others_tainted_gets_labels_only() -> None:
    spec = ExistingPool.model_validate({**EXISTING, "taints": [{"key": "dedicated", "effect": "NoSchedule"}]})
    assert node_patch("gpu", "a", spec) == {"metadata": {"name": "a", "labels": {"training-platform/node-pool": "gpu"}}}


@pytest.mark.parametrize(
    ("changed", "location", "kind"),
    [
        ({"nodes": 0}, ("nodes",), "greater_than_equal"),
        ({"nodes": 1001}, ("nodes",), "less_than_equal"),
        ({"nodes": "4"}, ("nodes",), "int_type"),
        ({"gpusPerNode": 0}, ("gpusPerNode",), "greater_than_equal"),
        ({"gpuResource": "gpu"}, ("gpuResource",), "string_pattern_mismatch"),
        ({"pods": 0}, ("pods",), "greater_than_equal"),
        ({"size": 4}, ("size",), "extra_forbidden"),
        ({"labels": {"training-platform/node-pool": "x"}}, ("labels", "training-platform/node-pool"), "refusal"),
        ({"labels": {"a/b/c": "x"}}, ("labels", "a/b/c"), "refusal"),
        ({"labels": {"team": "a b"}}, ("labels", "team"), "refusal"),
    ],
)
def test_a_wrong_simulated_pool_is_refused(changed: dict[str, Any], location: tuple[str, ...], kind: str) -> None:
    with pytest.raises(ValidationError) as refused:
        SimulatedPool.model_validate({**SIMULATED, **changed})
    assert [(details["loc"], details["type"]) for details in refused.value.errors()] == [(location, kind)]


@pytest.mark.parametrize(
    ("changed", "location", "kind"),
    [
        ({"nodes": []}, ("nodes",), "refusal"),
        ({"nodes": ["A"]}, ("nodes", 0), "refusal"),
        ({"taints": [{"key": "a", "effect": "No"}]}, ("taints", 0, "effect"), "literal_error"),
        ({"taints": [{"effect": "NoSchedule"}]}, ("taints", 0, "key"), "missing"),
    ],
)
def test_a_wrong_existing_pool_is_refused(changed: dict[str, Any], location: tuple[str, ...], kind: str) -> None:
    with pytest.raises(ValidationError) as refused:
        ExistingPool.model_validate({**EXISTING, **changed})
    assert [(details["loc"], details["type"]) for details in refused.value.errors()] == [(location, kind)]


def test_unknown_keys_and_findings_are_told_at_once() -> None:
    with pytest.raises(ValidationError) as refused:
        ExistingPool.model_validate(
            {**EXISTING, "nodes": [], "size": 4, "labels": {"training-platform/node-pool": "x"}}
        )
    assert [(details["loc"], details["type"]) for details in refused.value.errors()] == [
        (("size",), "extra_forbidden"),
        (("labels", "training-platform/node-pool"), "refusal"),
        (("nodes",), "refusal"),
    ]


def test_parts_of_gpus_are_a_warning_and_whole_ones_are_not() -> None:
    warned = ExistingPool.model_validate({**EXISTING, "gpuResource": "nvidia.com/mig-1g.5gb"}).check()
    assert [(found.rule, found.severity, found.path, found.message) for found in warned] == [
        (
            "POOL-10",
            Severity.WARNING,
            "gpuResource",
            "Trainer counts no nvidia.com/mig-1g.5gb: torch starts as many processes as there are CPUs.",
        )
    ]
    assert ExistingPool.model_validate(EXISTING).check() == ()
