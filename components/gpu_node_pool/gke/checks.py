"""What GKE refuses, or takes and never fulfils: rules across the keys of a GKE pool.

Sources: GKE's documentation; the preconditions of GoogleCloudPlatform/cluster-toolkit@1047080
modules/compute/gke-node-pool.
"""

import re
from collections.abc import Iterator, Sequence

from ...validation.violation import Severity, Violation
from ..capacity import FlexStart, QueuedProvisioning, Reservation
from ..interconnect import AdditionalNetwork, GpuDirect
from .fields import GkePoolFields

MAX_PARALLEL_UPGRADES = 20
"""Source: hashicorp/terraform-provider-google@020ce19, container_node_pool."""

CLUSTER_NETWORK = "default"
"""Name of the `Network` object of the cluster's own network."""

ADDITIONAL_NICS = {
    "a3-highgpu-8g": 4,
    "a3-megagpu-8g": 8,
    "a3-ultragpu-8g": 9,
    "a4-highgpu-8g": 9,
}
"""Network cards of a machine beside the first, for GPUDirect: TCPX, TCPXO, and a second gVNIC and eight RDMA cards."""

LOCATION = r"(?P<region>[a-z]+-[a-z]+\d+)(-[a-z0-9]+)?"
"""A region, or a zone: `us-central1-a`, `us-central1-ai1a`."""

RESERVATION = r"(projects/(?P<project>[^/]+)/reservations/)?[^/:]+(?P<part>/reservationBlocks/.+)?"
"""A reservation by its name, or of another project, or a block of one."""

COMPACT_FLEX_START = ("a3-ultragpu-", "a4-", "h4d-")
"""Machines that GKE places compactly with flex start."""


def check_gke_pool(pool: GkePoolFields) -> Iterator[Violation]:
    """Everything that is wrong or doubtful about a GKE pool as such."""
    yield from _zones(pool)
    yield from _sizes(pool)
    yield from _placement(pool)
    yield from _network(pool)
    yield from _reservation(pool)
    machine = pool.figures
    if machine and not pool.has_known_machine and not machine.accelerator:
        message = f"GKE wants the name of the GPUs, and {pool.machine_type} is not known here."
        yield Violation("GKE-07", "figures.accelerator", message, "Give `accelerator`, such as `nvidia-h100-80gb`.")
    if pool.driver != "cloud" and pool.driver_version != "default":
        message = f"driverVersion is {pool.driver_version}, but driver is {pool.driver}, and GKE installs none."
        yield Violation("GKE-08", "driverVersion", message, "Take it out, or write `driver: cloud`.")
    if pool.needs_hyperdisk and (pool.disk_type or "").startswith("pd-"):
        message = f"{pool.machine_type} boots from no persistent disk, and diskType is {pool.disk_type}."
        yield Violation("GKE-10", "diskType", message, "Take it out, or write `hyperdisk-balanced`.")
    at_once = pool.upgrade.max_surge + pool.upgrade.max_unavailable
    if at_once > MAX_PARALLEL_UPGRADES:
        message = (
            f"GKE renews {MAX_PARALLEL_UPGRADES} nodes at once at most, not {at_once}, maxSurge and "
            "maxUnavailable together."
        )
        yield Violation("GKE-13", "upgrade", message, "Write less.")
    account = pool.service_account
    if isinstance(account, str) and account != "default" and "@" not in account:
        message = f"{account} is no e-mail address of a service account."
        yield Violation("GKE-11", "serviceAccount", message, f"Write `{account}@<project>.iam.gserviceaccount.com`.")


def _zones(pool: GkePoolFields) -> Iterator[Violation]:
    if not pool.zones:
        message = "the pool has no zones; GKE would take all of the cluster's, and few of them have GPUs."
        yield Violation("GKE-01", "zones", message, "Name the zones that have the machine.")
    place = re.fullmatch(LOCATION, pool.location)
    if not place:
        message = f"{pool.location} is no region or zone."
        yield Violation("GKE-01", "location", message, "Write the cluster's, `us-central1` or `us-central1-a`.")
    for index, zone in enumerate(pool.zones):
        if place and not re.fullmatch(rf"{place['region']}-[a-z0-9]+", zone):
            message = f"{zone} is no zone of {place['region']}, where the cluster is."
            yield Violation("GKE-01", f"zones[{index}]", message, f"Write `{place['region']}-` and the zone's letter.")
        if zone in pool.zones[:index]:
            yield Violation("GKE-01", f"zones[{index}]", f"{zone} is in the list twice.", "Take it out once.")


def _sizes(pool: GkePoolFields) -> Iterator[Violation]:
    size, zones = pool.size, len(pool.zones)
    if isinstance(pool.capacity, QueuedProvisioning) and size.initial:
        key = "min" if size.min else "desired"
        value = size.min or size.desired
        message = f"{key} is {value}, but queued capacity starts from nothing: a job's machines come with the job."
        yield Violation("GKE-02", f"size.{key}", message, "Write 0, or take it out.")
    elif isinstance(pool.capacity, FlexStart) and not size.autoscaled:
        message = f"min and max are both {size.max}, but flex start waits for machines and takes them away again."
        yield Violation("GKE-02", "size.min", message, "Write 0, or take it out.")
    elif zones > 1 and pool.nodes_per_zone * zones > size.max:
        key = "min" if size.desired is None else "desired"
        message = (
            f"{key} is {size.initial}, which GKE rounds up to {pool.nodes_per_zone} in each of {zones} zones: "
            f"more than max, which is {size.max}."
        )
        yield Violation("GKE-03", f"size.{key}", message, f"Write a multiple of {zones}, or name fewer zones.")


def _reservation(pool: GkePoolFields) -> Iterator[Violation]:
    said = pool.capacity.reservation if isinstance(pool.capacity, Reservation) else None
    if not isinstance(said, str):
        return
    found = re.fullmatch(RESERVATION, said)
    if not found:
        fix = "Write its name, or `projects/<project>/reservations/<name>`."
        yield Violation("GKE-09", "capacity.reservation", f"{said} is no name of a reservation.", fix)
    elif found["part"] and found["project"] and isinstance(pool.project, str) and found["project"] != pool.project:
        message = f"the block of {said} is of another project than {pool.project}: GKE takes whole reservations there."
        yield Violation("GKE-09", "capacity.reservation", message, "Name the reservation without its block.")


def _duplicate_networks(networks: Sequence[AdditionalNetwork]) -> Iterator[Violation]:
    for index, each in enumerate(networks):
        before = networks[:index]
        if each.name == CLUSTER_NETWORK or each.name in [other.name for other in before]:
            message = f"the name {each.name} stands for another network already."
            yield Violation("GKE-05", f"network.networks[{index}].name", message, "Name its own `Network` object.")
        if each.subnetwork in [other.subnetwork for other in before]:
            message = f"{each.subnetwork} is there twice, and each card is in a subnetwork of its own."
            yield Violation("GKE-05", f"network.networks[{index}].subnetwork", message, "Name its own subnetwork.")


def _placement(pool: GkePoolFields) -> Iterator[Violation]:
    if not pool.compact:
        return
    if len(pool.zones) > 1:
        message = f"nodes that stand close to each other are in one zone, but the pool has {len(pool.zones)}."
        yield Violation("GKE-04", "zones", message, "Name one zone, or take `compact` out.")
    if isinstance(pool.capacity, QueuedProvisioning):
        message = "GKE places no queued capacity compactly."
        yield Violation("GKE-04", "compact", message, "Take it out, or take another kind of capacity.")
    if isinstance(pool.capacity, FlexStart) and not pool.machine_type.startswith(COMPACT_FLEX_START):
        message = f"with flex start GKE places no {pool.machine_type} compactly."
        fix = "Take it out, take another kind of capacity, or a machine of a3-ultragpu or a4."
        yield Violation("GKE-04", "compact", message, fix)


def _network(pool: GkePoolFields) -> Iterator[Violation]:
    wanted = ADDITIONAL_NICS.get(pool.machine_type)
    if isinstance(pool.network, GpuDirect):
        given = len(pool.network.networks)
        if wanted is None:
            known = ", ".join(ADDITIONAL_NICS)
            message = f"{pool.machine_type} has no GPUDirect that is known here; these have: {known}."
            yield Violation("GKE-05", "network.kind", message, "Write `ethernet`, or take one of those machines.")
        elif given != wanted:
            message = (
                f"{pool.machine_type} has {wanted} network cards beside the first, but {given} networks are given."
            )
            yield Violation("GKE-05", "network.networks", message, f"Give {wanted} networks, one for each card.")
        yield from _duplicate_networks(pool.network.networks)
        if pool.driver == "operator":
            message = "GPUDirect needs Container-Optimized OS and GKE's own driver, and the GPU operator neither."
            yield Violation("GKE-12", "driver", message, "Write `cloud`, or take `network` out.")
    elif wanted:
        message = f"without GPUDirect the GPUs of several {pool.machine_type} reach each other slowly."
        fix = f"Write `gpudirect` and its {wanted} networks, unless each job stays on one node."
        yield Violation("GKE-06", "network", message, fix, Severity.WARNING)
