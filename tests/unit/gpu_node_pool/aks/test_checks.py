"""AKS' pools: what is wrong with them."""

from typing import Any

import pulumi
import pytest

from components.gpu_node_pool.aks.spec import AksPool

from ..assertions import refusals, warnings

POOL: dict[str, Any] = {
    "provider": "aks",
    "cluster": "train",
    "resourceGroup": "ml",
    "machineType": "Standard_NC96ads_A100_v4",
    "size": {"max": 4},
}
ND = {"machineType": "Standard_ND96isr_H100_v5", "driver": "operator", "network": {"kind": "infiniband"}}
SPOT = {"kind": "spot"}
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
                "the label kubernetes.azure.com/mode is not for pools to set: a node with it is refused.",
                "Take a prefix of your own domain.",
            ),
        ),
        (
            {"zones": ["1", "1"]},
            ("AKS-01", ("zones", 1), "zone 1 is in the list twice.", "Take it out once."),
        ),
        (
            {"capacity": SPOT, "upgrade": {"maxSurge": 1}},
            (
                "AKS-02",
                ("upgrade", "maxSurge"),
                "maxSurge is 1, but AKS gives spot pools no spare nodes.",
                "Write 0, with maxUnavailable 1.",
            ),
        ),
        (
            {"capacity": SPOT, "spotMaxPrice": 0},
            (
                "AKS-02",
                ("spotMaxPrice",),
                "0.0 is no price that Azure takes.",
                "Write dollars an hour, with five decimal places at most, or -1 for any price.",
            ),
        ),
        (
            {"capacity": SPOT, "spotMaxPrice": 3.000001},
            (
                "AKS-02",
                ("spotMaxPrice",),
                "3.000001 is no price that Azure takes.",
                "Write dollars an hour, with five decimal places at most, or -1 for any price.",
            ),
        ),
        (
            {"spotMaxPrice": 3.5},
            (
                "AKS-02",
                ("spotMaxPrice",),
                "a most price is for spot machines, and this pool has none.",
                "Take it out, or write `capacity: {kind: spot}`.",
            ),
        ),
        (
            {"network": {"kind": "infiniband"}, "driver": "operator"},
            (
                "AKS-04",
                ("network", "kind"),
                "Standard_NC96ads_A100_v4 has no InfiniBand: no `r` for RDMA in its name.",
                "Write `ethernet`, or take such a machine.",
            ),
        ),
        (
            {**ND, "zones": ["1", "2"]},
            ("AKS-04", ("zones",), "InfiniBand reaches no other zone, but the pool has 2.", "Name one zone."),
        ),
        (
            {**ND, "osSku": "AzureLinux"},
            (
                "AKS-04",
                ("osSku",),
                "NVIDIA's network operator brings InfiniBand's driver for Ubuntu, and not for AzureLinux.",
                "Write Ubuntu.",
            ),
        ),
        (
            {"proximityPlacementGroup": NEAR, "zones": ["1", "2"]},
            (
                "AKS-06",
                ("zones",),
                "a proximity placement group is in one zone, but the pool has 2.",
                "Name one zone, or take `proximityPlacementGroup` out.",
            ),
        ),
        (
            {"cluster": f"{RESOURCES}/Microsoft.ContainerService/managedClusters/train"},
            (
                "AKS-07",
                ("cluster",),
                f"{RESOURCES}/Microsoft.ContainerService/managedClusters/train is a resource id, and Azure takes the "
                "name here.",
                "Write train.",
            ),
        ),
        (
            {"resourceGroup": "/subscriptions/s/resourceGroups/ml/"},
            (
                "AKS-07",
                ("resourceGroup",),
                "/subscriptions/s/resourceGroups/ml/ is a resource id, and Azure takes the name here.",
                "Write ml.",
            ),
        ),
        (
            {"subnet": "gpu"},
            (
                "AKS-07",
                ("subnet",),
                "gpu is no resource id of subnets.",
                "Write it in full, `/subscriptions/.../subnets/<name>`.",
            ),
        ),
        (
            {"proximityPlacementGroup": GROUP},
            (
                "AKS-07",
                ("proximityPlacementGroup",),
                f"{GROUP} is no resource id of proximityPlacementGroups.",
                "Write it in full, `/subscriptions/.../proximityPlacementGroups/<name>`.",
            ),
        ),
        (
            {"capacity": {"kind": "reservation", "reservation": "h100"}},
            (
                "AKS-07",
                ("capacity", "reservation"),
                "h100 is no resource id of capacityReservationGroups.",
                "Write it in full, `/subscriptions/.../capacityReservationGroups/<name>`.",
            ),
        ),
        (
            {"diskGib": 2049},
            (
                "AKS-08",
                ("diskGib",),
                "AKS takes boot disks of 2048 GiB at most, not 2049.",
                "Write 2048 or less, and give pods volumes.",
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
                "the taint kubernetes.azure.com/scalesetpriority=spot:NoSchedule is there twice: the pool has it in "
                "any case, and a node takes one of a key and effect.",
                "Take it out.",
            ),
        ),
    ],
)
def test_a_mistake_is_told_with_its_fix(changed: dict[str, Any], refusal: Any) -> None:
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
def test_its_neighbour_is_accepted_without_a_word(changed: dict[str, Any]) -> None:
    assert warnings(AksPool, {**POOL, **changed}) == []


@pytest.mark.parametrize(
    ("changed", "warning"),
    [
        (
            {"capacity": RESERVATION, "upgrade": {"maxSurge": 2}},
            (
                "AKS-03",
                "upgrade.maxSurge",
                "the reservation must have 6 machines: max, and maxSurge.",
                "Write 0, with maxUnavailable 1.",
            ),
        ),
        (
            {"machineType": "Standard_ND96isr_H100_v5"},
            (
                "AKS-05",
                "network",
                "without InfiniBand the GPUs of several Standard_ND96isr_H100_v5 reach each other slowly.",
                "Write `network: {kind: infiniband}`, unless each job stays on one node.",
            ),
        ),
        (
            {**ND, "driver": "cloud"},
            (
                "AKS-05",
                "driver",
                "AKS' GPU driver comes without GPUDirect RDMA: InfiniBand would take the way through host memory.",
                "Write `operator`, and install NVIDIA's GPU operator.",
            ),
        ),
    ],
)
def test_what_works_but_not_well_is_a_warning(changed: dict[str, Any], warning: Any) -> None:
    assert warnings(AksPool, {**POOL, **changed}) == [warning]
