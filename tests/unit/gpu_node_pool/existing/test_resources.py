"""Patches of existing nodes."""

from typing import Any

from components.gpu_node_pool.existing.pool import ExistingPool
from components.gpu_node_pool.existing.resources import label_patch, taint_patch

EXISTING: dict[str, Any] = {"provider": "existing", "nodes": ["a", "b.example.com"], "gpusPerNode": 4}


def test_an_existing_node_gets_labels_and_the_gpu_taint() -> None:
    spec = ExistingPool.model_validate({**EXISTING, "labels": {"team": "ml"}})
    assert label_patch("gpu", "a", spec) == {
        "metadata": {"name": "a", "labels": {"team": "ml", "training-platform/node-pool": "gpu"}}
    }
    assert taint_patch("a") == {
        "metadata": {"name": "a"},
        "spec": {"taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}]},
    }
