"""GKE's pools as they should be, and what pods find there."""

from typing import Any

import pulumi
import pytest

from components.gpu_node_pool.gke.pool import GkePool

from ..assertions import warnings
from .samples import FLEX_START, POOL, QUEUED, TWO_ZONES, networks, reserved


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"location": "us-central1-c"},
        {"zones": ["us-central1-ai1a"]},
        {"capacity": reserved("a100")},
        {"capacity": reserved("a100/reservationBlocks/b")},
        {"capacity": reserved("projects/other/reservations/r"), "project": "mine"},
        {"capacity": reserved("projects/mine/reservations/r/reservationBlocks/b"), "project": "mine"},
        {"machineType": "a3-ultragpu-8g", "network": networks(9), "diskType": "hyperdisk-extreme"},
        {"diskType": "pd-ssd"},
        {"upgrade": {"maxSurge": 4, "maxUnavailable": 16}},
        {"serviceAccount": "nodes@mine.iam.gserviceaccount.com"},
        {"serviceAccount": "default"},
        {"serviceAccount": pulumi.Output.from_input("made-before")},
        {"zones": TWO_ZONES},
        {"capacity": QUEUED},
        {"capacity": FLEX_START},
        {"capacity": FLEX_START, "size": {"min": 1, "max": 4}},
        {"zones": TWO_ZONES, "size": {"min": 4, "max": 4}},
        {"zones": TWO_ZONES, "size": {"max": 4, "desired": 3}},
        {"compact": True},
        {"compact": True, "capacity": {"kind": "spot"}},
        {"compact": True, "capacity": FLEX_START, "machineType": "a4-highgpu-8g", "network": networks(9)},
        {"machineType": "a3-highgpu-8g", "network": networks(4)},
        {"machineType": "a3-highgpu-8g", "network": networks(4), "driver": "none"},
        {"machineType": "a3-highgpu-4g"},
        {"machineType": "a9-megagpu-8g", "machineSpec": {"gpus": 8, "accelerator": "nvidia-x"}},
        {"driver": "operator"},
        {"driverVersion": "latest"},
    ],
)
def test_similar_valid_spec_has_no_violations(changed: dict[str, Any]) -> None:
    assert warnings(GkePool, {**POOL, **changed}) == []


def placed(**changed: Any) -> dict[str, Any]:
    made = GkePool.model_validate({**POOL, **changed}).placement("a100")
    return made.model_dump(mode="json", by_alias=True, exclude_none=True)


def test_placement_has_the_allocatable_resources_of_gke() -> None:
    assert placed() == {
        "nodeSelector": {"training-platform/node-pool": "a100"},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "gpuResource": "nvidia.com/gpu",
        "gpusPerNode": 8,
        "cpuPerNode": "95690m",
        "memoryPerNode": "675371Mi",
        "maxNodes": 4,
        "architecture": "amd64",
    }


def test_placement_tolerates_taints_of_the_pool_and_of_gke() -> None:
    extra = [{"key": "team", "value": "ml", "effect": "NoExecute"}]
    assert placed(capacity=QUEUED, extraTaints=extra)["tolerations"] == [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "team", "operator": "Equal", "value": "ml", "effect": "NoExecute"},
        {"key": "cloud.google.com/gke-queued", "operator": "Equal", "value": "true", "effect": "NoSchedule"},
    ]


def test_placement_leaves_out_unknown_resources() -> None:
    made = placed(machineType="a4x-highgpu-4g")
    assert (made["gpusPerNode"], made["architecture"]) == (4, "arm64")
    assert not {"cpuPerNode", "memoryPerNode", "network"} & made.keys()


@pytest.mark.parametrize(
    ("machine_type", "given", "disk"),
    [
        ("a2-highgpu-8g", None, None),
        ("a3-highgpu-8g", None, None),
        ("a3-ultragpu-8g", None, "hyperdisk-balanced"),
        ("a4-highgpu-8g", None, "hyperdisk-balanced"),
        ("a4x-highgpu-4g", None, "hyperdisk-balanced"),
        ("a2-highgpu-8g", "pd-ssd", "pd-ssd"),
    ],
)
def test_newest_machines_have_a_hyperdisk_as_boot_disk(machine_type: str, given: str | None, disk: str | None) -> None:
    pool = GkePool.model_validate({**POOL, "machineType": machine_type, "diskType": given})
    assert pool.boot_disk_type == disk
