"""AKS' pools: what pods find there, and what Azure calls them."""

from typing import Any

import pytest

from components.gpu_node_pool.aks.pool import AksPool
from components.gpu_node_pool.aks.resources import agent_pool_name

from .samples import ND, POOL, SPOT


def placed(**changed: Any) -> dict[str, Any]:
    made = AksPool.model_validate({**POOL, **changed}).placement("a100")
    return made.model_dump(mode="json", by_alias=True, exclude_none=True)


def test_placement_has_the_allocatable_resources_of_aks() -> None:
    assert placed() == {
        "nodeSelector": {"training-platform/node-pool": "a100"},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "gpuResource": "nvidia.com/gpu",
        "gpusPerNode": 4,
        "cpuPerNode": "94940m",
        "memoryPerNode": "900400Mi",
        "maxNodes": 4,
        "architecture": "amd64",
    }


def test_allocatable_memory_decreases_with_max_pods() -> None:
    assert placed(maxPods=110)["memoryPerNode"] == "898874Mi"


def test_placement_tolerates_spot_nodes() -> None:
    assert placed(capacity=SPOT)["tolerations"] == [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {
            "key": "kubernetes.azure.com/scalesetpriority",
            "operator": "Equal",
            "value": "spot",
            "effect": "NoSchedule",
        },
    ]


def test_infiniband_adds_devices_and_the_ipc_lock_capability() -> None:
    network = placed(**{**ND, "network": {"kind": "infiniband", "resource": "rdma/ib", "devices": 8}})["network"]
    assert (network["resources"], network["env"]) == ({"rdma/ib": 8}, {"NCCL_SOCKET_IFNAME": "eth0"})
    assert network["capabilities"] == ["IPC_LOCK"]


@pytest.mark.parametrize(
    ("pool", "start"), [("a100", "a100"), ("gpu-large-h100", "gpular"), ("8gpus", "p8gpus"), ("a-1", "a1")]
)
def test_agent_pool_name_is_valid_for_any_pool(pool: str, start: str) -> None:
    name = agent_pool_name(pool, {})
    assert name[:-6] == start
    assert len(name) <= 12
    assert name.isalnum()
    assert name == name.lower()


def test_agent_pool_name_changes_only_with_immutable_arguments() -> None:
    name = agent_pool_name("gpu-1", {"vm_size": "a", "max_pods": 30})
    assert agent_pool_name("gpu-1", {"max_pods": 30, "vm_size": "a"}) == name
    assert agent_pool_name("gpu-1", {"vm_size": "b", "max_pods": 30}) != name


def test_pools_with_similar_names_have_different_agent_pool_names() -> None:
    one, other = agent_pool_name("gpu-1", {}), agent_pool_name("gpu1", {})
    assert one[:-6] == other[:-6] == "gpu1"
    assert one != other
