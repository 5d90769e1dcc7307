"""AKS' pools: what is wrong with them."""

from typing import Any

import pulumi
import pytest

from components.gpu_node_pool.aks.pool import AksPool

from ..assertions import refusals, warnings
from .samples import ND, POOL, SPOT

RESOURCES = "/subscriptions/s/resourceGroups/ml/providers"
GROUP = f"{RESOURCES}/Microsoft.Compute/capacityReservationGroups/h100"
NEAR = f"{RESOURCES}/Microsoft.Compute/proximityPlacementGroups/near"
SUBNET = f"{RESOURCES}/Microsoft.Network/virtualNetworks/net/subnets/gpu"
RESERVATION = {"kind": "reservation", "reservation": GROUP}


@pytest.mark.parametrize(
    ("changed", "refusal"),
    [
        (
            {"labels": {"kubernetes.azure.com/mode": "user"}},
            (
                "POOL-12",
                ("labels", "kubernetes.azure.com/mode"),
                "Label kubernetes.azure.com/mode is reserved: a node with it is rejected.",
                "Use a prefix of your own domain.",
            ),
        ),
        (
            {"zones": ["1", "1"]},
            ("AKS-01", ("zones", 1), "Zone 1 is a duplicate.", "Remove the duplicate."),
        ),
        (
            {"capacity": SPOT, "upgrade": {"maxSurge": 1}},
            (
                "AKS-02",
                ("upgrade", "maxSurge"),
                "maxSurge is 1, but AKS does not support surge for spot pools.",
                "Set it to 0, with maxUnavailable 1.",
            ),
        ),
        (
            {"capacity": SPOT, "spotMaxPrice": 0},
            (
                "AKS-02",
                ("spotMaxPrice",),
                "0.0 is not a valid price.",
                "Use dollars per hour with at most five decimal places, or -1 for the on-demand price.",
            ),
        ),
        (
            {"capacity": SPOT, "spotMaxPrice": 3.000001},
            (
                "AKS-02",
                ("spotMaxPrice",),
                "3.000001 is not a valid price.",
                "Use dollars per hour with at most five decimal places, or -1 for the on-demand price.",
            ),
        ),
        (
            {"spotMaxPrice": 3.5},
            (
                "AKS-02",
                ("spotMaxPrice",),
                "`spotMaxPrice` applies only to spot capacity.",
                "Remove it, or set `capacity: {kind: spot}`.",
            ),
        ),
        (
            {"network": {"kind": "infiniband"}, "driver": "operator"},
            (
                "AKS-04",
                ("network", "kind"),
                "Standard_NC96ads_A100_v4 has no InfiniBand: its name has no `r` for RDMA.",
                "Use `ethernet`, or a machine type with `r`.",
            ),
        ),
        (
            {**ND, "zones": ["1", "2"]},
            ("AKS-04", ("zones",), "InfiniBand works within one zone, but the pool has 2.", "Set one zone."),
        ),
        (
            {**ND, "osSku": "AzureLinux"},
            (
                "AKS-04",
                ("osSku",),
                "NVIDIA's network operator installs InfiniBand's driver on Ubuntu, but not on AzureLinux.",
                "Use Ubuntu.",
            ),
        ),
        (
            {"proximityPlacementGroup": NEAR, "zones": ["1", "2"]},
            (
                "AKS-06",
                ("zones",),
                "A proximity placement group is in one zone, but the pool has 2.",
                "Set one zone, or remove `proximityPlacementGroup`.",
            ),
        ),
        (
            {"cluster": f"{RESOURCES}/Microsoft.ContainerService/managedClusters/train"},
            (
                "AKS-07",
                ("cluster",),
                f"{RESOURCES}/Microsoft.ContainerService/managedClusters/train is a resource id, but Azure "
                "expects a name.",
                "Write train.",
            ),
        ),
        (
            {"resourceGroup": "/subscriptions/s/resourceGroups/ml/"},
            (
                "AKS-07",
                ("resourceGroup",),
                "/subscriptions/s/resourceGroups/ml/ is a resource id, but Azure expects a name.",
                "Write ml.",
            ),
        ),
        (
            {"subnet": "gpu"},
            (
                "AKS-07",
                ("subnet",),
                "gpu is not a resource id of subnets.",
                "Use the full id, `/subscriptions/.../subnets/<name>`.",
            ),
        ),
        (
            {"proximityPlacementGroup": GROUP},
            (
                "AKS-07",
                ("proximityPlacementGroup",),
                f"{GROUP} is not a resource id of proximityPlacementGroups.",
                "Use the full id, `/subscriptions/.../proximityPlacementGroups/<name>`.",
            ),
        ),
        (
            {"capacity": {"kind": "reservation", "reservation": "h100"}},
            (
                "AKS-07",
                ("capacity", "reservation"),
                "h100 is not a resource id of capacityReservationGroups.",
                "Use the full id, `/subscriptions/.../capacityReservationGroups/<name>`.",
            ),
        ),
        (
            {"diskGib": 2049},
            (
                "AKS-08",
                ("diskGib",),
                "A boot disk of 2049 GiB exceeds AKS' maximum of 2048 GiB.",
                "Use 2048 or less, and volumes for pods.",
            ),
        ),
        (
            {
                "capacity": SPOT,
                "extraTaints": [
                    {"key": "kubernetes.azure.com/scalesetpriority", "value": "spot", "effect": "NoSchedule"}
                ],
            },
            (
                "POOL-05",
                ("extraTaints", 0),
                "Duplicate taint kubernetes.azure.com/scalesetpriority=spot:NoSchedule: the pool always has it, "
                "and a node can have only one with the same key and effect.",
                "Remove it.",
            ),
        ),
    ],
)
def test_mistake_is_reported_with_its_fix(changed: dict[str, Any], refusal: Any) -> None:
    assert refusals(AksPool, {**POOL, **changed}) == [refusal]


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"labels": {"example.com/team": "ml", "mykubernetes.io/a": "b"}},
        {"zones": ["1", "2"]},
        {"upgrade": {"maxSurge": 1}},
        {"capacity": SPOT},
        {"capacity": SPOT, "spotMaxPrice": 3.98765},
        {"capacity": RESERVATION},
        ND,
        {**ND, "zones": ["1"]},
        {**ND, "machineType": "Standard_ND40rs_v2"},
        {**ND, "machineType": "Standard_ND96asr_v4"},
        {"osSku": "AzureLinux"},
        {"subnet": SUBNET},
        {"subnet": pulumi.Output.from_input("made-before")},
        {"capacity": {"kind": "reservation", "reservation": GROUP.replace("resourceGroups", "resourcegroups")}},
        {"diskGib": 2048},
        {"proximityPlacementGroup": NEAR, "zones": ["1"]},
    ],
)
def test_similar_valid_spec_has_no_violations(changed: dict[str, Any]) -> None:
    assert warnings(AksPool, {**POOL, **changed}) == []


@pytest.mark.parametrize(
    ("changed", "warning"),
    [
        (
            {"capacity": RESERVATION, "upgrade": {"maxSurge": 2}},
            (
                "AKS-03",
                "upgrade.maxSurge",
                "The reservation must have 6 machines: max plus maxSurge.",
                "Set it to 0, with maxUnavailable 1.",
            ),
        ),
        (
            {"machineType": "Standard_ND96isr_H100_v5"},
            (
                "AKS-05",
                "network",
                "Without InfiniBand, communication between several Standard_ND96isr_H100_v5 is slow.",
                "Set `network: {kind: infiniband}`, unless every job uses one node.",
            ),
        ),
        (
            {**ND, "driver": "cloud"},
            (
                "AKS-05",
                "driver",
                "AKS' GPU driver has no GPUDirect RDMA: InfiniBand traffic would go through host memory.",
                "Set `operator`, and install NVIDIA's GPU operator.",
            ),
        ),
    ],
)
def test_slow_configuration_is_a_warning(changed: dict[str, Any], warning: Any) -> None:
    assert warnings(AksPool, {**POOL, **changed}) == [warning]
