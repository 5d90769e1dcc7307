"""Checks across the keys of a pool of existing nodes."""

from typing import Any

import pytest
from pydantic import ValidationError

from components.gpu_node_pool.existing.pool import ExistingPool

from ..assertions import refusals

EXISTING: dict[str, Any] = {"provider": "existing", "nodes": ["a", "b.example.com"], "gpusPerNode": 4}


@pytest.mark.parametrize(
    ("changed", "location", "kind"),
    [
        ({"nodes": []}, ("nodes",), "refusal"),
        ({"nodes": ["A"]}, ("nodes", 0), "refusal"),
        ({"nodes": ["a", "b", "a"]}, ("nodes", 2), "refusal"),
        ({"taints": [{"key": "a b", "effect": "NoSchedule"}]}, ("taints", 0, "key"), "refusal"),
        ({"taints": [{"key": "a", "effect": "No"}]}, ("taints", 0, "effect"), "literal_error"),
        ({"taints": [{"effect": "NoSchedule"}]}, ("taints", 0, "key"), "missing"),
    ],
)
def test_a_wrong_existing_pool_is_refused(changed: dict[str, Any], location: tuple[str, ...], kind: str) -> None:
    with pytest.raises(ValidationError) as refused:
        ExistingPool.model_validate({**EXISTING, **changed})
    assert [(details["loc"], details["type"]) for details in refused.value.errors()] == [(location, kind)]


@pytest.mark.parametrize(
    ("network", "refusal"),
    [
        (
            {"resources": {"hca": 8}},
            (
                "POOL-13",
                ("network", "resources", "hca"),
                '"hca" is not a valid name of a node resource.',
                "Use the device plugin's name, a domain and a name: `nvidia.com/gpu`, `rdma/shared_ib`.",
            ),
        ),
        (
            {"resources": {"rdma/hca": 0}},
            (
                "POOL-16",
                ("network", "resources", "rdma/hca"),
                "0 is not a valid number of cards.",
                "Set 1 or more, or remove it.",
            ),
        ),
        (
            {"mounts": [{"name": "gib", "mountPath": "/gib"}]},
            (
                "POOL-16",
                ("network", "mounts", 0, "name"),
                "gib is not one of the network's volumes.",
                "Add it to `volumes`.",
            ),
        ),
        (
            {"capabilities": ["SYS_NICE", "CAP_IPC_LOCK"]},
            (
                "POOL-16",
                ("network", "capabilities", 1),
                "Kubernetes prepends CAP_ to capabilities, also to CAP_IPC_LOCK.",
                "Write IPC_LOCK.",
            ),
        ),
    ],
)
def test_invalid_network_is_reported_in_the_pool(network: dict[str, Any], refusal: Any) -> None:
    assert refusals(ExistingPool, {**EXISTING, "network": network}) == [refusal]


def test_valid_network_is_accepted() -> None:
    gib = {"name": "gib", "hostPath": {"path": "/gib"}}
    network = {
        "resources": {"rdma/hca": 1},
        "volumes": [gib],
        "mounts": [{"name": "gib", "mountPath": "/gib"}],
        "capabilities": ["IPC_LOCK"],
    }
    assert ExistingPool.model_validate({**EXISTING, "network": network}).check() == ()
