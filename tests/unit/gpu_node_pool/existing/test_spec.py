"""What the keys of a pool of existing nodes mean."""

from typing import Any

import pytest

from components.gpu_node_pool.existing.pool import ExistingPool
from components.gpu_node_pool.simulated.spec import SimulatedPool

EXISTING: dict[str, Any] = {"provider": "existing", "nodes": ["a", "b.example.com"], "gpusPerNode": 4}
GPU_TOLERATION = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}


def wire(spec: SimulatedPool | ExistingPool) -> dict[str, Any]:
    return spec.placement("gpu").model_dump(mode="json", by_alias=True, exclude_none=True)


def test_existing_taints_replace_the_gpu_taint() -> None:
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


@pytest.mark.parametrize(
    ("changed", "taints"),
    [
        ({}, ["nvidia.com/gpu=present:NoSchedule"]),
        ({"gpuTaint": False}, []),
        ({"taints": [{"key": "dedicated", "effect": "NoSchedule"}]}, ["dedicated:NoSchedule"]),
        ({"taints": [{"key": "dedicated", "effect": "NoSchedule"}], "gpuTaint": False}, ["dedicated:NoSchedule"]),
    ],
)
def test_gpu_taint_is_added_unless_disabled_or_other_taints_exist(changed: dict[str, Any], taints: list[str]) -> None:
    spec = ExistingPool.model_validate({**EXISTING, **changed})
    assert [str(taint) for taint in spec.node_taints] == taints
    assert spec.adds_gpu_taint == (taints == ["nvidia.com/gpu=present:NoSchedule"])
    # It may be there from before, whatever the spec says now.
    assert [each for each in wire(spec)["tolerations"] if each["key"] == "nvidia.com/gpu"] == [GPU_TOLERATION]
