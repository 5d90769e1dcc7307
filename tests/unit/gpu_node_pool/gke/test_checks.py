"""GKE's pools: what is wrong with them."""

from typing import Any

import pytest

from components.gpu_node_pool.gke.pool import GkePool

from ..assertions import refusals, warnings
from .samples import FLEX_START, POOL, QUEUED, TWO_ZONES, networks, reserved


@pytest.mark.parametrize(
    ("changed", "refusal"),
    [
        (
            {"zones": []},
            (
                "GKE-01",
                ("zones",),
                "The pool has no zones: GKE would use all of the cluster's, few of which have GPUs.",
                "List the zones that have the machine type.",
            ),
        ),
        (
            {"zones": ["us-east1-b"]},
            (
                "GKE-01",
                ("zones", 0),
                "us-east1-b is not a zone of the cluster's region us-central1.",
                "Use `us-central1-` followed by the zone's letter.",
            ),
        ),
        (
            {"location": "us-central1-c", "zones": ["us-central1"]},
            (
                "GKE-01",
                ("zones", 0),
                "us-central1 is not a zone of the cluster's region us-central1.",
                "Use `us-central1-` followed by the zone's letter.",
            ),
        ),
        (
            {"location": "US"},
            (
                "GKE-01",
                ("location",),
                "US is not a region or zone.",
                "Use the cluster's, `us-central1` or `us-central1-a`.",
            ),
        ),
        (
            {"zones": ["us-central1-a", "us-central1-a"]},
            ("GKE-01", ("zones", 1), "us-central1-a is a duplicate.", "Remove the duplicate."),
        ),
        (
            {"capacity": QUEUED, "size": {"min": 1, "max": 4, "desired": 2}},
            (
                "GKE-02",
                ("size", "min"),
                "min is 1, but a pool of queued capacity must start with no nodes, which are created for jobs.",
                "Set it to 0, or remove it.",
            ),
        ),
        (
            {"capacity": QUEUED, "size": {"max": 4, "desired": 2}},
            (
                "GKE-02",
                ("size", "desired"),
                "desired is 2, but a pool of queued capacity must start with no nodes, which are created for jobs.",
                "Set it to 0, or remove it.",
            ),
        ),
        (
            {"capacity": FLEX_START, "size": {"min": 4, "max": 4}},
            (
                "GKE-02",
                ("size", "min"),
                "min and max are both 4, but flex start needs an autoscaled pool.",
                "Set it to 0, or remove it.",
            ),
        ),
        (
            {"zones": TWO_ZONES, "size": {"min": 3, "max": 3}},
            (
                "GKE-03",
                ("size", "min"),
                "min is 3, which GKE rounds up to 2 in each of 2 zones: more than max, which is 3.",
                "Use a multiple of 2, or fewer zones.",
            ),
        ),
        (
            {"zones": TWO_ZONES, "size": {"max": 3, "desired": 3}},
            (
                "GKE-03",
                ("size", "desired"),
                "desired is 3, which GKE rounds up to 2 in each of 2 zones: more than max, which is 3.",
                "Use a multiple of 2, or fewer zones.",
            ),
        ),
        (
            {"compact": True, "zones": TWO_ZONES},
            (
                "GKE-04",
                ("zones",),
                "`compact` needs a single zone, but the pool has 2.",
                "Set one zone, or remove `compact`.",
            ),
        ),
        (
            {"compact": True, "capacity": QUEUED},
            (
                "GKE-04",
                ("compact",),
                "GKE does not support compact placement of queued capacity.",
                "Remove it, or use another kind of capacity.",
            ),
        ),
        (
            {"compact": True, "capacity": FLEX_START},
            (
                "GKE-04",
                ("compact",),
                "GKE does not support compact placement of a2-highgpu-8g with flex start.",
                "Remove it, use another kind of capacity, or a machine type of a3-ultragpu or a4.",
            ),
        ),
        (
            {"network": networks(4)},
            (
                "GKE-05",
                ("network", "kind"),
                "a2-highgpu-8g is not known to support GPUDirect; these do: a3-highgpu-8g, a3-megagpu-8g, "
                "a3-ultragpu-8g, a4-highgpu-8g.",
                "Use `ethernet`, or one of those machine types.",
            ),
        ),
        (
            {"machineType": "a3-megagpu-8g", "network": networks(4)},
            (
                "GKE-05",
                ("network", "networks"),
                "a3-megagpu-8g has 8 additional network cards, but 4 networks are set.",
                "Set 8 networks, one for each card.",
            ),
        ),
        (
            {"machineType": "a3-highgpu-8g", "network": networks(4, name="default", at=1)},
            (
                "GKE-05",
                ("network", "networks", 1, "name"),
                "The name default is already used for another network.",
                "Use its own `Network` object.",
            ),
        ),
        (
            {"machineType": "a3-highgpu-8g", "network": networks(4, name="net-1", at=3)},
            (
                "GKE-05",
                ("network", "networks", 3, "name"),
                "The name net-1 is already used for another network.",
                "Use its own `Network` object.",
            ),
        ),
        (
            {"machineType": "a3-highgpu-8g", "network": networks(4, subnetwork="net-1-sub", at=2)},
            (
                "GKE-05",
                ("network", "networks", 2, "subnetwork"),
                "net-1-sub is a duplicate, but each card needs its own subnetwork.",
                "Use another subnetwork.",
            ),
        ),
        (
            {"capacity": reserved("https://compute.googleapis.com/projects/p/zones/z/reservations/r")},
            (
                "GKE-09",
                ("capacity", "reservation"),
                "https://compute.googleapis.com/projects/p/zones/z/reservations/r is not the name of a reservation.",
                "Use its name, or `projects/<project>/reservations/<name>`.",
            ),
        ),
        (
            {"capacity": reserved("projects/other/reservations/r/reservationBlocks/b"), "project": "mine"},
            (
                "GKE-09",
                ("capacity", "reservation"),
                "The block of projects/other/reservations/r/reservationBlocks/b is in another project than mine, "
                "from which GKE accepts only whole reservations.",
                "Use the reservation without its block.",
            ),
        ),
        (
            {"machineType": "a3-ultragpu-8g", "network": networks(9), "diskType": "pd-ssd"},
            (
                "GKE-10",
                ("diskType",),
                "a3-ultragpu-8g cannot boot from a persistent disk, but diskType is pd-ssd.",
                "Remove it, or set `hyperdisk-balanced`.",
            ),
        ),
        (
            {"machineType": "a3-highgpu-8g", "network": networks(4), "driver": "operator"},
            (
                "GKE-12",
                ("driver",),
                "GPUDirect needs Container-Optimized OS and GKE's driver, which the GPU operator does not support.",
                "Set `cloud`, or remove `network`.",
            ),
        ),
        (
            {"upgrade": {"maxSurge": 5, "maxUnavailable": 16}},
            (
                "GKE-13",
                ("upgrade",),
                "maxSurge plus maxUnavailable is 21, more than GKE's maximum of 20.",
                "Lower one of them.",
            ),
        ),
        (
            {"serviceAccount": "nodes"},
            (
                "GKE-11",
                ("serviceAccount",),
                "nodes is not the e-mail address of a service account.",
                "Write `nodes@<project>.iam.gserviceaccount.com`.",
            ),
        ),
        (
            {"machineType": "a9-megagpu-8g", "machineSpec": {"gpus": 8}},
            (
                "GKE-07",
                ("machineSpec", "accelerator"),
                "GKE needs the name of the GPUs, which is unknown for a9-megagpu-8g.",
                "Set it, for example to `nvidia-h100-80gb`.",
            ),
        ),
        (
            {"driver": "operator", "driverVersion": "latest"},
            (
                "GKE-08",
                ("driverVersion",),
                "driverVersion is latest, but driver is operator, so GKE installs none.",
                "Remove it, or set `driver: cloud`.",
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
                "Duplicate taint cloud.google.com/gke-queued=true:NoSchedule: the pool always has it, and a "
                "node can have only one with the same key and effect.",
                "Remove it.",
            ),
        ),
    ],
)
def test_mistake_is_reported_with_its_fix(changed: dict[str, Any], refusal: Any) -> None:
    assert refusals(GkePool, {**POOL, **changed}) == [refusal]


@pytest.mark.parametrize("capacity", [FLEX_START, QUEUED])
@pytest.mark.parametrize("upgrade", [{}, {"maxSurge": 2}, {"maxUnavailable": 3}])
def test_upgrade_settings_of_flex_start_are_a_warning(capacity: dict[str, Any], upgrade: dict[str, Any]) -> None:
    """GKE keeps its strategy SHORT_LIVED: crossplane-contrib/provider-upjet-gcp#1028."""
    assert warnings(GkePool, {**POOL, "capacity": capacity, "upgrade": upgrade}) == [
        (
            "GKE-14",
            "upgrade",
            f"GKE upgrades nodes of {capacity['kind']} capacity by its own strategy and ignores this one.",
            "Remove it.",
        )
    ]


@pytest.mark.parametrize("capacity", [{"kind": "on-demand"}, {"kind": "spot"}])
def test_upgrade_settings_of_other_capacity_have_no_warning(capacity: dict[str, Any]) -> None:
    assert warnings(GkePool, {**POOL, "capacity": capacity, "upgrade": {"maxSurge": 2}}) == []
    assert warnings(GkePool, {**POOL, "capacity": FLEX_START}) == []


def test_single_node_without_gpudirect_has_no_warning() -> None:
    one = {**POOL, "machineType": "a3-megagpu-8g", "size": {"max": 1}}
    assert warnings(GkePool, one) == []
    assert [rule for rule, *_ in warnings(GkePool, one | {"size": {"max": 2}})] == ["GKE-06"]
