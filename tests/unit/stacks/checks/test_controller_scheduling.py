"""Where controllers find a node: what a cluster and its pools offer, and what keeps them off."""

from typing import Any

import pytest

from components.gpu_node_pool.existing.pool import ExistingPool
from components.gpu_node_pool.simulated.spec import SimulatedPool
from components.jobset import JobSetOperatorSpec
from stacks.checks.controller_scheduling import check_schedulable

GPU = SimulatedPool(provider="simulated", nodes=1, gpus_per_node=8)
OPEN = ExistingPool.model_validate(
    {
        "provider": "existing",
        "nodes": ["a"],
        "gpusPerNode": 1,
        "taints": [{"key": "busy", "effect": "PreferNoSchedule"}],
    }
)
VALUED = ExistingPool.model_validate(
    {
        "provider": "existing",
        "nodes": ["a"],
        "gpusPerNode": 1,
        "taints": [{"key": "spot", "value": "yes", "effect": "NoSchedule"}],
    }
)


def found(pools: dict[str, Any], other_nodes: bool = False, **spec: Any) -> list[str]:
    return [
        each.path for each in check_schedulable("jobset", JobSetOperatorSpec.model_validate(spec), pools, other_nodes)
    ]


def test_controllers_are_schedulable_on_other_nodes() -> None:
    assert found({"gpu": GPU}, other_nodes=True) == []


def test_nothing_is_checked_without_pools() -> None:
    assert found({}) == []


def test_one_pool_without_a_taint_is_sufficient() -> None:
    assert found({"gpu": GPU}) == ["jobset.tolerations"]
    assert found({"gpu": GPU, "open": OPEN}) == []


def test_controllers_are_schedulable_on_untainted_existing_nodes() -> None:
    nodes = {"provider": "existing", "nodes": ["a"], "gpusPerNode": 1}
    assert found({"gpu": ExistingPool.model_validate(nodes)}) == ["jobset.tolerations"]
    assert found({"gpu": ExistingPool.model_validate({**nodes, "gpuTaint": False})}) == []


def test_only_the_pool_of_the_node_selector_counts() -> None:
    bound = {"nodeSelector": {"training-platform/node-pool": "gpu"}}
    assert found({"gpu": GPU, "open": OPEN}, other_nodes=True, **bound) == ["jobset.tolerations"]
    assert found({"open": OPEN}, other_nodes=True, **bound) == []


@pytest.mark.parametrize(
    ("toleration", "tolerated"),
    [
        ({"operator": "Exists"}, True),
        ({"key": "spot", "operator": "Exists"}, True),
        ({"key": "spot", "operator": "Exists", "effect": "NoSchedule"}, True),
        ({"key": "spot", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "spot", "operator": "Equal", "value": "yes"}, True),
        ({"key": "spot", "value": "yes"}, True),
        ({"key": "spot", "value": "no"}, False),
        ({"key": "spot"}, False),
        ({"key": "other", "operator": "Exists"}, False),
    ],
)
def test_tolerations_match_taints_as_in_kubernetes(toleration: dict[str, str], tolerated: bool) -> None:
    assert found({"spot": VALUED}, tolerations=[toleration]) == ([] if tolerated else ["jobset.tolerations"])
