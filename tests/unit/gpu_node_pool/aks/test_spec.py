"""AKS' pools: what pods find there, and what Azure calls them."""

from typing import Any

import pytest

from components.gpu_node_pool.aks.resources import agent_pool_name
from components.gpu_node_pool.aks.spec import AksPool

from .samples import ND, POOL, SPOT


def placed(**changed: Any) -> dict[str, Any]:
    made = AksPool.model_validate({**POOL, **changed}).placement("a100")
    return made.model_dump(mode="json", by_alias=True, exclude_none=True)


def test_pods_find_what_aks_leaves_them() -> None:
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


def test_more_pods_leave_less_memory() -> None:
    assert placed(maxPods=110)["memoryPerNode"] == "898874Mi"


def test_pods_tolerate_spot_nodes() -> None:
    assert placed(capacity=SPOT)["tolerations"] == [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {
            "key": "kubernetes.azure.com/scalesetpriority",
            "operator": "Equal",
            "value": "spot",
            "effect": "NoSchedule",
        },
    ]


def test_infiniband_gives_pods_its_device_and_memory_that_they_may_pin() -> None:
    network = placed(**{**ND, "network": {"kind": "infiniband", "resource": "rdma/ib", "devices": 8}})["network"]
    assert (network["resources"], network["env"]) == ({"rdma/ib": 8}, {"NCCL_SOCKET_IFNAME": "eth0"})
    assert network["capabilities"] == ["IPC_LOCK"]


@pytest.mark.parametrize(
    ("pool", "start"), [("a100", "a100"), ("gpu-large-h100", "gpular"), ("8gpus", "p8gpus"), ("a-1", "a1")]
)
def test_azure_takes_the_name_of_any_pool(pool: str, start: str) -> None:
    name = agent_pool_name(pool, {})
    assert name[:-6] == start
    assert len(name) <= 12
    assert name.isalnum()
    assert name == name.lower()


def test_a_name_changes_exactly_with_what_azure_cannot_change() -> None:
    name = agent_pool_name("gpu-1", {"vm_size": "a", "max_pods": 30})
    assert agent_pool_name("gpu-1", {"max_pods": 30, "vm_size": "a"}) == name
    assert agent_pool_name("gpu-1", {"vm_size": "b", "max_pods": 30}) != name


def test_pools_of_like_names_have_names_of_their_own() -> None:
    one, other = agent_pool_name("gpu-1", {}), agent_pool_name("gpu1", {})
    assert one[:-6] == other[:-6] == "gpu1"
    assert one != other
