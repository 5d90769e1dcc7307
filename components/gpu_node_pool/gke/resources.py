"""GKE: the node pool as a resource."""

from typing import Any

import pulumi

from ..capacity import FlexStart, QueuedProvisioning, Reservation, Spot
from ..cloud_sdk import load_sdk
from ..interconnect import GpuDirect
from ..short_name import shorten_name
from .pool import GkePool

# What the cluster's autoscaler changes. A change here would replace the pool, or drain it.
AUTOSCALER_OWNED = ["initialNodeCount", "nodeCount"]

CLOUD_PLATFORM = "https://www.googleapis.com/auth/cloud-platform"


def declare_node_pool(pool: str, spec: GkePool, opts: pulumi.ResourceOptions) -> None:
    """Declare the node pool. Its name is the pool's with a suffix, so that a replacement can be created next to it."""
    container = load_sdk("pulumi_gcp.container", "gke")
    timeout = f"{spec.timeout_minutes}m"
    own = pulumi.ResourceOptions(
        # A pool of fixed size has no autoscaler that owns its count.
        ignore_changes=AUTOSCALER_OWNED if spec.size.autoscaled else None,
        # Reserved machines are not available twice.
        delete_before_replace=isinstance(spec.capacity, Reservation),
        custom_timeouts=pulumi.CustomTimeouts(create=timeout, update=timeout, delete=timeout),
    )
    container.NodePool(logical_name(pool), **node_pool(pool, spec), opts=pulumi.ResourceOptions.merge(opts, own))


def logical_name(pool: str) -> str:
    """A name for the resource that is valid with Pulumi's suffix: at most 40 characters, beginning with a letter."""
    return shorten_name(pool if pool[0].isalpha() else f"p-{pool}", 40)


def node_pool(pool: str, spec: GkePool) -> dict[str, Any]:
    """Arguments of the `NodePool`."""
    arguments = {
        "cluster": spec.cluster,
        "location": spec.location,
        "node_locations": list(spec.zones),
        "project": spec.project,
        **_size(spec),
        "management": {
            # Flex start, queued or not, replaces no machine: GKE refuses to repair those.
            "auto_repair": not isinstance(spec.capacity, FlexStart | QueuedProvisioning),
            "auto_upgrade": spec.auto_upgrade,
        },
        "upgrade_settings": _upgrade(spec),
        # Otherwise a replacement deletes pods immediately, despite their disruption budgets.
        "node_drain_configs": [{"respect_pdb_during_node_pool_deletion": True}],
        "placement_policy": {"type": "COMPACT"} if spec.compact else None,
        "queued_provisioning": {"enabled": True} if isinstance(spec.capacity, QueuedProvisioning) else None,
        "network_config": _network(spec),
        "node_config": _node(pool, spec),
    }
    return _without_none(arguments)


def _size(spec: GkePool) -> dict[str, Any]:
    if not spec.size.autoscaled:
        return {"node_count": spec.nodes_per_zone}
    autoscaling = {
        "total_min_node_count": spec.size.min,
        "total_max_node_count": spec.size.max,
        # Zones that have machines, rather than as many nodes in each.
        "location_policy": "ANY",
    }
    return {"initial_node_count": spec.nodes_per_zone, "autoscaling": autoscaling}


def _upgrade(spec: GkePool) -> dict[str, Any] | None:
    """The upgrade settings. None for flex start, queued or not: GKE always uses its own strategy SHORT_LIVED, and any
    other value would show up as a change in every preview (crossplane-contrib/provider-upjet-gcp#1028)."""
    if spec.upgrades_by_itself:
        return None
    upgrade = spec.upgrade
    return {"strategy": "SURGE", "max_surge": upgrade.max_surge, "max_unavailable": upgrade.max_unavailable}


def _network(spec: GkePool) -> dict[str, Any] | None:
    if not isinstance(spec.network, GpuDirect):
        return None
    networks = [{"network": each.network, "subnetwork": each.subnetwork} for each in spec.network.networks]
    return {"additional_node_network_configs": networks}


def _node(pool: str, spec: GkePool) -> dict[str, Any]:
    machine = spec.machine
    driver = spec.driver_version.upper() if spec.driver == "cloud" else "INSTALLATION_DISABLED"
    accelerator = {
        "type": machine.accelerator,
        "count": machine.gpus,
        "gpu_driver_installation_config": {"gpu_driver_version": driver},
    }
    node = {
        "machine_type": spec.machine_type,
        "guest_accelerators": [accelerator],
        # The GPU operator has drivers for Ubuntu, and none for GKE's usual Container-Optimized OS (its documentation,
        # "NVIDIA GPU Operator with Google GKE").
        "image_type": "UBUNTU_CONTAINERD" if spec.driver == "operator" else None,
        "disk_size_gb": spec.disk_gib,
        "disk_type": spec.boot_disk_type,
        "ephemeral_storage_local_ssd_config": machine.local_ssds and {"local_ssd_count": machine.local_ssds},
        "gvnic": {"enabled": True},
        "labels": spec.node_labels(pool),
        # The GPU taint too: GKE adds it itself only if the cluster has other nodes.
        "taints": [
            {"key": taint.key, "value": taint.value or "", "effect": taint.cloud_effect}
            for taint in spec.declared_taints
        ],
        "service_account": spec.service_account,
        "oauth_scopes": [CLOUD_PLATFORM],
        "workload_metadata_config": {"mode": "GKE_METADATA"} if spec.workload_identity else None,
        # Secure Boot loads only signed drivers, such as GKE's.
        "shielded_instance_config": {
            "enable_integrity_monitoring": True,
            "enable_secure_boot": spec.driver == "cloud",
        },
        "metadata": {"disable-legacy-endpoints": "true"},
        **_capacity(spec),
    }
    return _without_none(node)


def _capacity(spec: GkePool) -> dict[str, Any]:
    reserved = {"reservation_affinity": {"consume_reservation_type": "NO_RESERVATION"}}
    match spec.capacity:
        case Spot():
            return {"spot": True, **reserved}
        # Queued provisioning is flex start too (GKE docs, "Run a large-scale workload with flex-start with queued
        # provisioning").
        case FlexStart(max_run_hours=hours) | QueuedProvisioning(max_run_hours=hours):
            return {"flex_start": True, "max_run_duration": f"{3600 * hours}s", **reserved}
        case Reservation(reservation=name):
            affinity = {
                "consume_reservation_type": "SPECIFIC_RESERVATION",
                "key": "compute.googleapis.com/reservation-name",
                "values": [name],
            }
            return {"reservation_affinity": affinity}
        case _:
            return reserved


def _without_none(arguments: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None}
