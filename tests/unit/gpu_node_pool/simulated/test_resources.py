"""Node objects of a simulated pool."""

from typing import Any

from components.gpu_node_pool.simulated.resources import node_manifest
from components.gpu_node_pool.simulated.spec import SimulatedPool

SIMULATED: dict[str, Any] = {"provider": "simulated", "nodes": 4, "gpusPerNode": 8}


def test_status_of_a_simulated_node_has_its_resources() -> None:
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


def test_simulated_node_has_defaults() -> None:
    status = node_manifest("gpu", "gpu-0", SimulatedPool.model_validate(SIMULATED))["status"]
    assert status["allocatable"] == {"cpu": "64", "memory": "512Gi", "pods": "110", "nvidia.com/gpu": "8"}
