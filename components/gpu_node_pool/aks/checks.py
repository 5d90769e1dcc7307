"""Checks across the keys of an AKS pool: what AKS rejects, or accepts and never provides.

Sources: AKS' documentation; for InfiniBand Azure/aks-rdma-infiniband and NVIDIA Dynamo v1.1.1, "RDMA / InfiniBand on
AKS".
"""

import re
from collections.abc import Iterator

from ...validation.violation import Severity, Violation
from ..capacity import Reservation, Spot
from ..interconnect import InfiniBand
from .spec import AksSpec

RDMA_MACHINE_TYPE = re.compile(r"Standard_N[A-Z]+\d+[a-z]*r[a-z]*_")
"""Machine types with InfiniBand: their names have an `r` for RDMA among the lowercase letters."""


MAX_DISK_GIB = 2048
"""Maximum size in GiB. Source: AKS' REST API, ContainerServiceOSDisk."""


def check_aks_pool(pool: AksSpec) -> Iterator[Violation]:
    """Yield the errors and warnings of an AKS pool."""
    for index, zone in enumerate(pool.zones):
        if zone in pool.zones[:index]:
            yield Violation("AKS-01", f"zones[{index}]", f"Zone {zone} is a duplicate.", "Remove the duplicate.")
    yield from _names(pool)
    if pool.disk_gib > MAX_DISK_GIB:
        message = f"A boot disk of {pool.disk_gib} GiB exceeds AKS' maximum of {MAX_DISK_GIB} GiB."
        yield Violation("AKS-08", "diskGib", message, f"Use {MAX_DISK_GIB} or less, and volumes for pods.")
    yield from _capacity(pool)
    yield from _network(pool)


def _names(pool: AksSpec) -> Iterator[Violation]:
    for key, name in {"cluster": pool.cluster, "resourceGroup": pool.resource_group}.items():
        if isinstance(name, str) and "/" in name:
            message = f"{name} is a resource id, but Azure expects a name."
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
            message = f"{said} is not a resource id of {kind}."
            yield Violation("AKS-07", path, message, f"Use the full id, `/subscriptions/.../{kind}/<name>`.")


def _capacity(pool: AksSpec) -> Iterator[Violation]:
    surge = pool.upgrade.max_surge
    if isinstance(pool.capacity, Spot):
        if surge:
            message = f"maxSurge is {surge}, but AKS does not support surge for spot pools."
            yield Violation("AKS-02", "upgrade.maxSurge", message, "Set it to 0, with maxUnavailable 1.")
        price = pool.spot_max_price
        if price != -1 and (price <= 0 or round(price, 5) != price):
            message = f"{price} is not a valid price."
            fix = "Use dollars per hour with at most five decimal places, or -1 for the on-demand price."
            yield Violation("AKS-02", "spotMaxPrice", message, fix)
    elif pool.spot_max_price != -1:
        message = "`spotMaxPrice` applies only to spot capacity."
        yield Violation("AKS-02", "spotMaxPrice", message, "Remove it, or set `capacity: {kind: spot}`.")
    if isinstance(pool.capacity, Reservation) and surge:
        message = f"The reservation must have {pool.size.max + surge} machines: max plus maxSurge."
        yield Violation("AKS-03", "upgrade.maxSurge", message, "Set it to 0, with maxUnavailable 1.", Severity.WARNING)


def _network(pool: AksSpec) -> Iterator[Violation]:
    if isinstance(pool.network, InfiniBand):
        if pool.machine_type.startswith("Standard_") and not RDMA_MACHINE_TYPE.match(pool.machine_type):
            message = f"{pool.machine_type} has no InfiniBand: its name has no `r` for RDMA."
            yield Violation("AKS-04", "network.kind", message, "Use `ethernet`, or a machine type with `r`.")
        if len(pool.zones) > 1:
            message = f"InfiniBand works within one zone, but the pool has {len(pool.zones)}."
            yield Violation("AKS-04", "zones", message, "Set one zone.")
        if pool.os_sku != "Ubuntu":
            message = f"NVIDIA's network operator installs InfiniBand's driver on Ubuntu, but not on {pool.os_sku}."
            yield Violation("AKS-04", "osSku", message, "Use Ubuntu.")
        if pool.driver == "cloud":
            message = "AKS' GPU driver has no GPUDirect RDMA: InfiniBand traffic would go through host memory."
            fix = "Set `operator`, and install NVIDIA's GPU operator."
            yield Violation("AKS-05", "driver", message, fix, Severity.WARNING)
    elif RDMA_MACHINE_TYPE.match(pool.machine_type) and pool.size.max > 1:
        message = f"Without InfiniBand, communication between several {pool.machine_type} is slow."
        fix = "Set `network: {kind: infiniband}`, unless every job uses one node."
        yield Violation("AKS-05", "network", message, fix, Severity.WARNING)
    if pool.proximity_placement_group and len(pool.zones) > 1:
        message = f"A proximity placement group is in one zone, but the pool has {len(pool.zones)}."
        yield Violation("AKS-06", "zones", message, "Set one zone, or remove `proximityPlacementGroup`.")
