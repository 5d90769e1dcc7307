"""Checks across the keys of a GKE pool: what GKE rejects, or accepts and never provides.

Sources: GKE's documentation; the preconditions of GoogleCloudPlatform/cluster-toolkit@1047080
modules/compute/gke-node-pool.
"""

import re
from collections.abc import Iterator, Sequence

from ...validation.violation import Severity, Violation
from ..capacity import FlexStart, QueuedProvisioning, Reservation
from ..interconnect import AdditionalNetwork, GpuDirect
from .spec import GkeSpec

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
"""Network cards of a machine in addition to the first, for GPUDirect: TCPX, TCPXO, and a second gVNIC and eight RDMA
cards."""

LOCATION = r"(?P<region>[a-z]+-[a-z]+\d+)(-[a-z0-9]+)?"
"""A region, or a zone: `us-central1-a`, `us-central1-ai1a`."""

RESERVATION = r"(projects/(?P<project>[^/]+)/reservations/)?[^/:]+(?P<part>/reservationBlocks/.+)?"
"""A reservation by its name, one of another project, or a block of one."""

COMPACT_FLEX_START = ("a3-ultragpu-", "a4-", "h4d-")
"""Machine types that GKE can place compactly with flex start."""


def check_gke_pool(pool: GkeSpec) -> Iterator[Violation]:
    """Yield the errors and warnings of a GKE pool."""
    yield from _zones(pool)
    yield from _sizes(pool)
    yield from _placement(pool)
    yield from _network(pool)
    yield from _reservation(pool)
    machine = pool.machine_spec
    if machine and not pool.has_known_machine and not machine.accelerator:
        message = f"GKE needs the name of the GPUs, which is unknown for {pool.machine_type}."
        yield Violation("GKE-07", "machineSpec.accelerator", message, "Set it, for example to `nvidia-h100-80gb`.")
    if pool.driver != "cloud" and pool.driver_version != "default":
        message = f"driverVersion is {pool.driver_version}, but driver is {pool.driver}, so GKE installs none."
        yield Violation("GKE-08", "driverVersion", message, "Remove it, or set `driver: cloud`.")
    if pool.needs_hyperdisk and (pool.disk_type or "").startswith("pd-"):
        message = f"{pool.machine_type} cannot boot from a persistent disk, but diskType is {pool.disk_type}."
        yield Violation("GKE-10", "diskType", message, "Remove it, or set `hyperdisk-balanced`.")
    if pool.upgrades_by_itself and "upgrade" in pool.model_fields_set:
        message = f"GKE upgrades nodes of {pool.capacity.kind} capacity by its own strategy and ignores this one."
        yield Violation("GKE-14", "upgrade", message, "Remove it.", Severity.WARNING)
    at_once = pool.upgrade.max_surge + pool.upgrade.max_unavailable
    if at_once > MAX_PARALLEL_UPGRADES:
        message = f"maxSurge plus maxUnavailable is {at_once}, more than GKE's maximum of {MAX_PARALLEL_UPGRADES}."
        yield Violation("GKE-13", "upgrade", message, "Lower one of them.")
    account = pool.service_account
    if isinstance(account, str) and account != "default" and "@" not in account:
        message = f"{account} is not the e-mail address of a service account."
        yield Violation("GKE-11", "serviceAccount", message, f"Write `{account}@<project>.iam.gserviceaccount.com`.")


def _zones(pool: GkeSpec) -> Iterator[Violation]:
    if not pool.zones:
        message = "The pool has no zones: GKE would use all of the cluster's, few of which have GPUs."
        yield Violation("GKE-01", "zones", message, "List the zones that have the machine type.")
    place = re.fullmatch(LOCATION, pool.location)
    if not place:
        message = f"{pool.location} is not a region or zone."
        yield Violation("GKE-01", "location", message, "Use the cluster's, `us-central1` or `us-central1-a`.")
    for index, zone in enumerate(pool.zones):
        if place and not re.fullmatch(rf"{place['region']}-[a-z0-9]+", zone):
            message = f"{zone} is not a zone of the cluster's region {place['region']}."
            yield Violation(
                "GKE-01", f"zones[{index}]", message, f"Use `{place['region']}-` followed by the zone's letter."
            )
        if zone in pool.zones[:index]:
            yield Violation("GKE-01", f"zones[{index}]", f"{zone} is a duplicate.", "Remove the duplicate.")


def _sizes(pool: GkeSpec) -> Iterator[Violation]:
    size, zones = pool.size, len(pool.zones)
    if isinstance(pool.capacity, QueuedProvisioning) and size.initial:
        key = "min" if size.min else "desired"
        value = size.min or size.desired
        message = (
            f"{key} is {value}, but a pool of queued capacity must start with no nodes, which are created for jobs."
        )
        yield Violation("GKE-02", f"size.{key}", message, "Set it to 0, or remove it.")
    elif isinstance(pool.capacity, FlexStart) and not size.autoscaled:
        message = f"min and max are both {size.max}, but flex start needs an autoscaled pool."
        yield Violation("GKE-02", "size.min", message, "Set it to 0, or remove it.")
    elif zones > 1 and pool.nodes_per_zone * zones > size.max:
        key = "min" if size.desired is None else "desired"
        message = (
            f"{key} is {size.initial}, which GKE rounds up to {pool.nodes_per_zone} in each of {zones} zones: "
            f"more than max, which is {size.max}."
        )
        yield Violation("GKE-03", f"size.{key}", message, f"Use a multiple of {zones}, or fewer zones.")


def _reservation(pool: GkeSpec) -> Iterator[Violation]:
    said = pool.capacity.reservation if isinstance(pool.capacity, Reservation) else None
    if not isinstance(said, str):
        return
    found = re.fullmatch(RESERVATION, said)
    if not found:
        fix = "Use its name, or `projects/<project>/reservations/<name>`."
        yield Violation("GKE-09", "capacity.reservation", f"{said} is not the name of a reservation.", fix)
    elif found["part"] and found["project"] and isinstance(pool.project, str) and found["project"] != pool.project:
        message = (
            f"The block of {said} is in another project than {pool.project}, from which GKE accepts only "
            "whole reservations."
        )
        yield Violation("GKE-09", "capacity.reservation", message, "Use the reservation without its block.")


def _duplicate_networks(networks: Sequence[AdditionalNetwork]) -> Iterator[Violation]:
    for index, each in enumerate(networks):
        before = networks[:index]
        if each.name == CLUSTER_NETWORK or each.name in [other.name for other in before]:
            message = f"The name {each.name} is already used for another network."
            yield Violation("GKE-05", f"network.networks[{index}].name", message, "Use its own `Network` object.")
        if each.subnetwork in [other.subnetwork for other in before]:
            message = f"{each.subnetwork} is a duplicate, but each card needs its own subnetwork."
            yield Violation("GKE-05", f"network.networks[{index}].subnetwork", message, "Use another subnetwork.")


def _placement(pool: GkeSpec) -> Iterator[Violation]:
    if not pool.compact:
        return
    if len(pool.zones) > 1:
        message = f"`compact` needs a single zone, but the pool has {len(pool.zones)}."
        yield Violation("GKE-04", "zones", message, "Set one zone, or remove `compact`.")
    if isinstance(pool.capacity, QueuedProvisioning):
        message = "GKE does not support compact placement of queued capacity."
        yield Violation("GKE-04", "compact", message, "Remove it, or use another kind of capacity.")
    if isinstance(pool.capacity, FlexStart) and not pool.machine_type.startswith(COMPACT_FLEX_START):
        message = f"GKE does not support compact placement of {pool.machine_type} with flex start."
        fix = "Remove it, use another kind of capacity, or a machine type of a3-ultragpu or a4."
        yield Violation("GKE-04", "compact", message, fix)


def _network(pool: GkeSpec) -> Iterator[Violation]:
    wanted = ADDITIONAL_NICS.get(pool.machine_type)
    if isinstance(pool.network, GpuDirect):
        given = len(pool.network.networks)
        if wanted is None:
            known = ", ".join(ADDITIONAL_NICS)
            message = f"{pool.machine_type} is not known to support GPUDirect; these do: {known}."
            yield Violation("GKE-05", "network.kind", message, "Use `ethernet`, or one of those machine types.")
        elif given != wanted:
            message = f"{pool.machine_type} has {wanted} additional network cards, but {given} networks are set."
            yield Violation("GKE-05", "network.networks", message, f"Set {wanted} networks, one for each card.")
        yield from _duplicate_networks(pool.network.networks)
        if pool.driver == "operator":
            message = (
                "GPUDirect needs Container-Optimized OS and GKE's driver, which the GPU operator does not support."
            )
            yield Violation("GKE-12", "driver", message, "Set `cloud`, or remove `network`.")
    elif wanted and pool.size.max > 1:
        message = f"Without GPUDirect, communication between several {pool.machine_type} is slow."
        fix = f"Set `gpudirect` and its {wanted} networks, unless every job uses one node."
        yield Violation("GKE-06", "network", message, fix, Severity.WARNING)
