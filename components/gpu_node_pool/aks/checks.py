"""What AKS refuses, or takes and never fulfils: rules across the keys of an AKS pool.

Sources: AKS' documentation; for InfiniBand Azure/aks-rdma-infiniband and NVIDIA Dynamo v1.1.1, "RDMA / InfiniBand on
AKS".
"""

import re
from collections.abc import Iterator

from ...validation.violation import Severity, Violation
from ..capacity import Reservation, Spot
from ..interconnect import InfiniBand
from .fields import AksPoolFields

RDMA_MACHINE_TYPE = re.compile(r"Standard_N[A-Z]+\d+[a-z]*r[a-z]*_")
"""Machines with InfiniBand: Azure's names have an `r` for RDMA among the small letters."""


MAX_DISK_GIB = 2048
"""GiB. Source: AKS' REST API, ContainerServiceOSDisk."""


def check_aks_pool(pool: AksPoolFields) -> Iterator[Violation]:
    """Everything that is wrong or doubtful about an AKS pool as such."""
    for index, zone in enumerate(pool.zones):
        if zone in pool.zones[:index]:
            yield Violation("AKS-01", f"zones[{index}]", f"zone {zone} is in the list twice.", "Take it out once.")
    yield from _names(pool)
    if pool.disk_gib > MAX_DISK_GIB:
        message = f"AKS takes boot disks of {MAX_DISK_GIB} GiB at most, not {pool.disk_gib}."
        yield Violation("AKS-08", "diskGib", message, f"Write {MAX_DISK_GIB} or less, and give pods volumes.")
    yield from _capacity(pool)
    yield from _network(pool)


def _names(pool: AksPoolFields) -> Iterator[Violation]:
    for key, name in {"cluster": pool.cluster, "resourceGroup": pool.resource_group}.items():
        if isinstance(name, str) and "/" in name:
            message = f"{name} is a resource id, and Azure takes the name here."
            yield Violation("AKS-07", key, message, f"Write {name.rstrip('/').rpartition('/')[2]}.")
    ids = {
        "subnet": ("subnets", pool.subnet),
        "proximityPlacementGroup": ("proximityPlacementGroups", pool.proximity_placement_group),
        "capacity.reservation": (
            "capacityReservationGroups",
            pool.capacity.reservation if isinstance(pool.capacity, Reservation) else None,
        ),
    }
    for path, (kind, said) in ids.items():
        if isinstance(said, str) and not re.fullmatch(rf"/subscriptions/.+/{kind}/[^/]+", said, re.IGNORECASE):
            message = f"{said} is no resource id of {kind}."
            yield Violation("AKS-07", path, message, f"Write it in full, `/subscriptions/.../{kind}/<name>`.")


def _capacity(pool: AksPoolFields) -> Iterator[Violation]:
    surge = pool.upgrade.max_surge
    if isinstance(pool.capacity, Spot):
        if surge:
            message = f"maxSurge is {surge}, but AKS gives spot pools no spare nodes."
            yield Violation("AKS-02", "upgrade.maxSurge", message, "Write 0, with maxUnavailable 1.")
        price = pool.spot_max_price
        if price != -1 and (price <= 0 or round(price, 5) != price):
            message = f"{price} is no price that Azure takes."
            fix = "Write dollars an hour, with five decimal places at most, or -1 for any price."
            yield Violation("AKS-02", "spotMaxPrice", message, fix)
    elif pool.spot_max_price != -1:
        message = "a most price is for spot machines, and this pool has none."
        yield Violation("AKS-02", "spotMaxPrice", message, "Take it out, or write `capacity: {kind: spot}`.")
    if isinstance(pool.capacity, Reservation) and surge:
        message = f"the reservation must have {pool.size.max + surge} machines: max, and maxSurge."
        yield Violation("AKS-03", "upgrade.maxSurge", message, "Write 0, with maxUnavailable 1.", Severity.WARNING)


def _network(pool: AksPoolFields) -> Iterator[Violation]:
    if isinstance(pool.network, InfiniBand):
        if pool.machine_type.startswith("Standard_") and not RDMA_MACHINE_TYPE.match(pool.machine_type):
            message = f"{pool.machine_type} has no InfiniBand: no `r` for RDMA in its name."
            yield Violation("AKS-04", "network.kind", message, "Write `ethernet`, or take such a machine.")
        if len(pool.zones) > 1:
            message = f"InfiniBand reaches no other zone, but the pool has {len(pool.zones)}."
            yield Violation("AKS-04", "zones", message, "Name one zone.")
        if pool.os_sku != "Ubuntu":
            message = f"NVIDIA's network operator brings InfiniBand's driver for Ubuntu, and not for {pool.os_sku}."
            yield Violation("AKS-04", "osSku", message, "Write Ubuntu.")
        if pool.driver == "cloud":
            message = "AKS' GPU driver comes without GPUDirect RDMA: InfiniBand would take the way through host memory."
            fix = "Write `operator`, and install NVIDIA's GPU operator."
            yield Violation("AKS-05", "driver", message, fix, Severity.WARNING)
    elif RDMA_MACHINE_TYPE.match(pool.machine_type):
        message = f"without InfiniBand the GPUs of several {pool.machine_type} reach each other slowly."
        fix = "Write `network: {kind: infiniband}`, unless each job stays on one node."
        yield Violation("AKS-05", "network", message, fix, Severity.WARNING)
    if pool.proximity_placement_group and len(pool.zones) > 1:
        message = f"a proximity placement group is in one zone, but the pool has {len(pool.zones)}."
        yield Violation("AKS-06", "zones", message, "Name one zone, or take `proximityPlacementGroup` out.")
