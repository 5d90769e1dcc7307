"""GKE's pools: what is wrong with them."""

from typing import Any

import pytest

from components.gpu_node_pool.gke.spec import GkePool

from ..assertions import refusals

POOL: dict[str, Any] = {
    "provider": "gke",
    "cluster": "train",
    "location": "us-central1",
    "zones": ["us-central1-a"],
    "machineType": "a2-highgpu-8g",
    "size": {"max": 4},
}
TWO_ZONES = ["us-central1-a", "us-central1-b"]
FLEX_START = {"kind": "flex-start"}
QUEUED = {"kind": "queued"}


def networks(count: int, at: int = 0, **changed: str) -> dict[str, Any]:
    """So many networks, the one at an index with something changed."""
    names = [f"net-{index}" for index in range(1, count + 1)]
    each = [{"network": name, "subnetwork": f"{name}-sub", "name": name} for name in names]
    each[at] |= changed
    return {"kind": "gpudirect", "networks": each}


def reserved(name: str) -> dict[str, str]:
    return {"kind": "reservation", "reservation": name}


@pytest.mark.parametrize(
    ("changed", "refusal"),
    [
        (
            {"zones": []},
            (
                "GKE-01",
                ("zones",),
                "the pool has no zones; GKE would take all of the cluster's, and few of them have GPUs.",
                "Name the zones that have the machine.",
            ),
        ),
        (
            {"zones": ["us-east1-b"]},
            (
                "GKE-01",
                ("zones", 0),
                "us-east1-b is no zone of us-central1, where the cluster is.",
                "Write `us-central1-` and the zone's letter.",
            ),
        ),
        (
            {"location": "us-central1-c", "zones": ["us-central1"]},
            (
                "GKE-01",
                ("zones", 0),
                "us-central1 is no zone of us-central1, where the cluster is.",
                "Write `us-central1-` and the zone's letter.",
            ),
        ),
        (
            {"location": "US"},
            (
                "GKE-01",
                ("location",),
                "US is no region or zone.",
                "Write the cluster's, `us-central1` or `us-central1-a`.",
            ),
        ),
        (
            {"zones": ["us-central1-a", "us-central1-a"]},
            ("GKE-01", ("zones", 1), "us-central1-a is in the list twice.", "Take it out once."),
        ),
        (
            {"capacity": QUEUED, "size": {"min": 1, "max": 4, "desired": 2}},
            (
                "GKE-02",
                ("size", "min"),
                "min is 1, but queued capacity starts from nothing: a job's machines come with the job.",
                "Write 0, or take it out.",
            ),
        ),
        (
            {"capacity": QUEUED, "size": {"max": 4, "desired": 2}},
            (
                "GKE-02",
                ("size", "desired"),
                "desired is 2, but queued capacity starts from nothing: a job's machines come with the job.",
                "Write 0, or take it out.",
            ),
        ),
        (
            {"capacity": FLEX_START, "size": {"min": 4, "max": 4}},
            (
                "GKE-02",
                ("size", "min"),
                "min and max are both 4, but flex start waits for machines and takes them away again.",
                "Write 0, or take it out.",
            ),
        ),
        (
            {"zones": TWO_ZONES, "size": {"min": 3, "max": 3}},
            (
                "GKE-03",
                ("size", "min"),
                "min is 3, which GKE rounds up to 2 in each of 2 zones: more than max, which is 3.",
                "Write a multiple of 2, or name fewer zones.",
            ),
        ),
        (
            {"zones": TWO_ZONES, "size": {"max": 3, "desired": 3}},
            (
                "GKE-03",
                ("size", "desired"),
                "desired is 3, which GKE rounds up to 2 in each of 2 zones: more than max, which is 3.",
                "Write a multiple of 2, or name fewer zones.",
            ),
        ),
        (
            {"compact": True, "zones": TWO_ZONES},
            (
                "GKE-04",
                ("zones",),
                "nodes that stand close to each other are in one zone, but the pool has 2.",
                "Name one zone, or take `compact` out.",
            ),
        ),
        (
            {"compact": True, "capacity": QUEUED},
            (
                "GKE-04",
                ("compact",),
                "GKE places no queued capacity compactly.",
                "Take it out, or take another kind of capacity.",
            ),
        ),
        (
            {"compact": True, "capacity": FLEX_START},
            (
                "GKE-04",
                ("compact",),
                "with flex start GKE places no a2-highgpu-8g compactly.",
                "Take it out, take another kind of capacity, or a machine of a3-ultragpu or a4.",
            ),
        ),
        (
            {"network": networks(4)},
            (
                "GKE-05",
                ("network", "kind"),
                "a2-highgpu-8g has no GPUDirect that is known here; these have: a3-highgpu-8g, a3-megagpu-8g, "
                "a3-ultragpu-8g, a4-highgpu-8g.",
                "Write `ethernet`, or take one of those machines.",
            ),
        ),
        (
            {"machineType": "a3-megagpu-8g", "network": networks(4)},
            (
                "GKE-05",
                ("network", "networks"),
                "a3-megagpu-8g has 8 network cards beside the first, but 4 networks are given.",
                "Give 8 networks, one for each card.",
            ),
        ),
        (
            {"machineType": "a3-highgpu-8g", "network": networks(4, name="default", at=1)},
            (
                "GKE-05",
                ("network", "networks", 1, "name"),
                "the name default stands for another network already.",
                "Name its own `Network` object.",
            ),
        ),
        (
            {"machineType": "a3-highgpu-8g", "network": networks(4, name="net-1", at=3)},
            (
                "GKE-05",
                ("network", "networks", 3, "name"),
                "the name net-1 stands for another network already.",
                "Name its own `Network` object.",
            ),
        ),
        (
            {"machineType": "a3-highgpu-8g", "network": networks(4, subnetwork="net-1-sub", at=2)},
            (
                "GKE-05",
                ("network", "networks", 2, "subnetwork"),
                "net-1-sub is there twice, and each card is in a subnetwork of its own.",
                "Name its own subnetwork.",
            ),
        ),
        (
            {"capacity": reserved("https://compute.googleapis.com/projects/p/zones/z/reservations/r")},
            (
                "GKE-09",
                ("capacity", "reservation"),
                "https://compute.googleapis.com/projects/p/zones/z/reservations/r is no name of a reservation.",
                "Write its name, or `projects/<project>/reservations/<name>`.",
            ),
        ),
        (
            {"capacity": reserved("projects/other/reservations/r/reservationBlocks/b"), "project": "mine"},
            (
                "GKE-09",
                ("capacity", "reservation"),
                "the block of projects/other/reservations/r/reservationBlocks/b is of another project than mine: GKE "
                "takes whole reservations there.",
                "Name the reservation without its block.",
            ),
        ),
        (
            {"machineType": "a3-ultragpu-8g", "network": networks(9), "diskType": "pd-ssd"},
            (
                "GKE-10",
                ("diskType",),
                "a3-ultragpu-8g boots from no persistent disk, and diskType is pd-ssd.",
                "Take it out, or write `hyperdisk-balanced`.",
            ),
        ),
        (
            {"machineType": "a3-highgpu-8g", "network": networks(4), "driver": "operator"},
            (
                "GKE-12",
                ("driver",),
                "GPUDirect needs Container-Optimized OS and GKE's own driver, and the GPU operator neither.",
                "Write `cloud`, or take `network` out.",
            ),
        ),
        (
            {"upgrade": {"maxSurge": 5, "maxUnavailable": 16}},
            (
                "GKE-13",
                ("upgrade",),
                "GKE renews 20 nodes at once at most, not 21, maxSurge and maxUnavailable together.",
                "Write less.",
            ),
        ),
        (
            {"serviceAccount": "nodes"},
            (
                "GKE-11",
                ("serviceAccount",),
                "nodes is no e-mail address of a service account.",
                "Write `nodes@<project>.iam.gserviceaccount.com`.",
            ),
        ),
        (
            {"machineType": "a9-megagpu-8g", "figures": {"gpus": 8}},
            (
                "GKE-07",
                ("figures", "accelerator"),
                "GKE wants the name of the GPUs, and a9-megagpu-8g is not known here.",
                "Give `accelerator`, such as `nvidia-h100-80gb`.",
            ),
        ),
        (
            {"driver": "operator", "driverVersion": "latest"},
            (
                "GKE-08",
                ("driverVersion",),
                "driverVersion is latest, but driver is operator, and GKE installs none.",
                "Take it out, or write `driver: cloud`.",
            ),
        ),
        (
            {
                "capacity": QUEUED,
                "extraTaints": [{"key": "cloud.google.com/gke-queued", "value": "true", "effect": "NoSchedule"}],
            },
            (
                "POOL-05",
                ("extraTaints", 0),
                "the taint cloud.google.com/gke-queued=true:NoSchedule is there twice: the pool has it in any case, "
                "and a node takes one of a key and effect.",
                "Take it out.",
            ),
        ),
    ],
)
def test_a_mistake_is_told_with_its_fix(changed: dict[str, Any], refusal: Any) -> None:
    assert refusals(GkePool, {**POOL, **changed}) == [refusal]
