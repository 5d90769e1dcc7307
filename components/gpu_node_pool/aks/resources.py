"""AKS: the agent pool as a resource, and the device plugin on its nodes."""

import hashlib
import json
import re
from typing import Any

import pulumi

from ..base import POOL_LABEL
from ..capacity import Reservation, Spot
from ..cloud_sdk import load_sdk
from ..device_plugins import install
from .pool import AksPool

REPLACE_ON_CHANGE = {
    "availability_zones": "availabilityZones",
    "capacity_reservation_group_id": "capacityReservationGroupID",
    "gpu_profile": "gpuProfile",
    "max_pods": "maxPods",
    "node_taints": "nodeTaints",
    "os_disk_size_gb": "osDiskSizeGB",
    "os_disk_type": "osDiskType",
    "proximity_placement_group_id": "proximityPlacementGroupID",
    "scale_set_eviction_policy": "scaleSetEvictionPolicy",
    "scale_set_priority": "scaleSetPriority",
    "spot_max_price": "spotMaxPrice",
    "vm_size": "vmSize",
    "vnet_subnet_id": "vnetSubnetID",
}
"""Arguments that AKS does not allow to change in an existing pool, with their names in the API. The SDK itself knows
only `vmSize`. Sources: AKS docs on spot pools, ephemeral disks and GPUs; azurerm's `kubernetes_cluster_node_pool`,
which replaces as well."""


def declare_agent_pool(pool: str, spec: AksPool, opts: pulumi.ResourceOptions) -> None:
    """Declare the agent pool, and the device plugin if AKS installs the driver."""
    containerservice = load_sdk("pulumi_azure_native.containerservice", "aks")
    timeout = f"{spec.timeout_minutes}m"
    own = pulumi.ResourceOptions(
        # A pool of fixed size has no autoscaler that owns its count.
        ignore_changes=["count"] if spec.size.autoscaled else None,
        replace_on_changes=[*REPLACE_ON_CHANGE.values()],
        # Reserved machines are not available twice.
        delete_before_replace=isinstance(spec.capacity, Reservation),
        custom_timeouts=pulumi.CustomTimeouts(create=timeout, update=timeout, delete=timeout),
    )
    containerservice.AgentPool(pool, **agent_pool(pool, spec), opts=pulumi.ResourceOptions.merge(opts, own))
    for plugin in spec.device_plugins:
        install(plugin, pool, {POOL_LABEL: pool}, [taint.toleration for taint in spec.node_taints], opts)


def agent_pool(pool: str, spec: AksPool) -> dict[str, Any]:
    """Arguments of the `AgentPool`."""
    size = spec.size
    arguments = {
        # The SDK's name for it: `resource_name` is taken by Pulumi.
        "resource_name_": spec.cluster,
        "resource_group_name": spec.resource_group,
        "mode": "User",
        "type": "VirtualMachineScaleSets",
        "os_type": "Linux",
        "os_sku": spec.os_sku,
        "vm_size": spec.machine_type,
        "count": size.initial,
        "enable_auto_scaling": size.autoscaled,
        "min_count": size.min if size.autoscaled else None,
        "max_count": size.max if size.autoscaled else None,
        "availability_zones": list(spec.zones) or None,
        "vnet_subnet_id": spec.subnet,
        "proximity_placement_group_id": spec.proximity_placement_group,
        "gpu_profile": {"driver": "Install" if spec.driver == "cloud" else "None"},
        "node_labels": spec.node_labels(pool),
        "node_taints": [str(taint) for taint in spec.declared_taints],
        "os_disk_size_gb": spec.disk_gib,
        "os_disk_type": spec.os_disk_type,
        "max_pods": spec.max_pods,
        **_capacity(spec),
    }
    said = {name: value for name, value in arguments.items() if value is not None}
    fixed = {name: said[name] for name in REPLACE_ON_CHANGE if name in said}
    return {"agent_pool_name": pulumi.Output.all(**fixed).apply(lambda known: agent_pool_name(pool, known)), **said}


def _capacity(spec: AksPool) -> dict[str, Any]:
    upgrade = {
        "max_surge": str(spec.upgrade.max_surge),
        "max_unavailable": str(spec.upgrade.max_unavailable),
        "drain_timeout_in_minutes": spec.drain_minutes,
    }
    match spec.capacity:
        case Spot():
            return {
                "scale_set_priority": "Spot",
                "scale_set_eviction_policy": "Delete",
                "spot_max_price": spec.spot_max_price,
            }
        case Reservation(reservation=group):
            return {"capacity_reservation_group_id": group, "upgrade_settings": upgrade}
        case _:
            return {"upgrade_settings": upgrade}


def agent_pool_name(pool: str, fixed: dict[str, Any]) -> str:
    """Name of the agent pool, at most 12 lowercase letters and digits: the pool's name and a hash of its immutable
    arguments.

    So a replacement has another name than the pool next to which it is created.
    """
    letters = re.sub("[^a-z0-9]", "", pool)
    mark = hashlib.sha256(json.dumps([pool, fixed], sort_keys=True).encode()).hexdigest()
    return f"{letters if letters[:1].isalpha() else 'p' + letters}"[:6] + mark[:6]
