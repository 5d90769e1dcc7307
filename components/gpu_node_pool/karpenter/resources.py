"""Karpenter's objects for a pool: a NodePool, and the EC2NodeClass if the pool creates it."""

from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes

from ..aws.efa import efa_interfaces
from ..aws.ids import is_placement_group_id
from ..aws.images import CONTAINER_DISK_DEVICE
from ..capacity import CapacityBlock, OnDemand, Reservation, Spot
from ..device_plugins import install
from .node_class import Ec2NodeClass, ExistingNodeClass
from .pool import KarpenterPool

GROUP = "karpenter.k8s.aws"
KIND = "EC2NodeClass"

CAPACITY_TYPES = {OnDemand: "on-demand", Spot: "spot", Reservation: "reserved", CapacityBlock: "reserved"}
"""The kinds of capacity in Karpenter's API."""


def declare_karpenter_pool(pool: str, spec: KarpenterPool, opts: pulumi.ResourceOptions) -> None:
    """Declare the NodePool after its node class, so that it is deleted first: deleting the class waits until the pool
    has deleted its nodes (karpenter-provider-aws#6462)."""
    timeout = f"{spec.timeout_minutes}m"
    timeouts = pulumi.CustomTimeouts(create=timeout, update=timeout, delete=timeout)
    opts = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(custom_timeouts=timeouts))
    classes: list[pulumi.Resource] = []
    if isinstance(spec.node_class, Ec2NodeClass):
        classes = [_object(f"{pool}-node-class", node_class(pool, spec, spec.node_class), opts)]
    _object(pool, node_pool(pool, spec), pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=classes)))
    needs = spec.placement(pool)
    for plugin in spec.device_plugins:
        install(plugin, pool, needs.node_selector, needs.tolerations, opts)


def _object(name: str, manifest: Mapping[str, Any], opts: pulumi.ResourceOptions) -> pulumi.Resource:
    return kubernetes.apiextensions.CustomResource(
        name,
        api_version=manifest["apiVersion"],
        kind=manifest["kind"],
        metadata=manifest["metadata"],
        spec=manifest["spec"],
        opts=opts,
    )


def node_class(pool: str, spec: KarpenterPool, said: Ec2NodeClass) -> dict[str, Any]:
    """The EC2NodeClass. It has the pool's name, so only a new name replaces it, and names cannot collide."""
    ebs = {"volumeSize": f"{spec.disk_gib}Gi", "volumeType": "gp3", "encrypted": True, "deleteOnTermination": True}
    contents: dict[str, Any] = {
        "role": said.role,
        "amiSelectorTerms": [{"alias": said.image}],
        "subnetSelectorTerms": [{"id": each} for each in said.subnet_ids],
        "securityGroupSelectorTerms": [{"id": each} for each in said.security_group_ids],
        "blockDeviceMappings": [{"deviceName": CONTAINER_DISK_DEVICE[said.image_family], "ebs": ebs}],
        "metadataOptions": {"httpEndpoint": "enabled", "httpTokens": "required", "httpPutResponseHopLimit": 1},
        "tags": {"Name": pool, **said.tags},
    }
    if spec.efa_devices:
        contents["networkInterfaces"] = [
            {"networkCardIndex": each.card, "deviceIndex": each.device, "interfaceType": each.type}
            for each in efa_interfaces(spec.machine_type, spec.efa_devices, "interface")
        ]
    if said.instance_store:
        contents["instanceStorePolicy"] = "RAID0"
    if said.placement_group is not None:
        key = "id" if is_placement_group_id(said.placement_group) else "name"
        contents["placementGroupSelector"] = {key: said.placement_group}
    if isinstance(spec.capacity, Reservation | CapacityBlock):
        contents["capacityReservationSelectorTerms"] = [{"id": spec.capacity.reservation}]
    return {"apiVersion": f"{GROUP}/v1", "kind": KIND, "metadata": {"name": pool}, "spec": contents}


def node_pool(pool: str, spec: KarpenterPool) -> dict[str, Any]:
    """The NodePool. Karpenter's defaults are made for stateless services: they move pods to cheaper nodes and replace
    nodes after 30 days. Here nodes are kept as long as they are used."""
    existing = spec.node_class.name if isinstance(spec.node_class, ExistingNodeClass) else None
    template: dict[str, dict[str, Any]] = {
        "metadata": {"labels": spec.node_labels(pool)},
        "spec": {
            "nodeClassRef": {"group": GROUP, "kind": KIND, "name": existing or pool},
            "requirements": requirements(spec),
            "taints": [taint.model_dump(exclude_none=True) for taint in spec.declared_taints],
            "expireAfter": "Never",
        },
    }
    disruption: dict[str, Any] = {
        "consolidationPolicy": "WhenEmpty",
        "consolidateAfter": f"{spec.empty_minutes}m",
        "budgets": [
            {"nodes": "100%", "reasons": ["Empty"]},
            {"nodes": "1" if spec.replace_outdated else "0", "reasons": ["Drifted"]},
        ],
    }
    contents: dict[str, Any] = {
        "template": template,
        "disruption": disruption,
        "limits": {spec.gpu_resource: str(spec.size.max * spec.machine.gpus)},
    }
    if spec.startup_taints:
        template["spec"]["startupTaints"] = [taint.model_dump(exclude_none=True) for taint in spec.startup_taints]
    if spec.weight is not None:
        contents["weight"] = spec.weight
    return {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": pool}, "spec": contents}


def requirements(spec: KarpenterPool) -> list[dict[str, Any]]:
    """The machines that Karpenter may use."""
    wanted: dict[str, list[Any]] = {
        "node.kubernetes.io/instance-type": [spec.machine_type],
        "kubernetes.io/arch": [spec.machine.arch or "amd64"],
        "karpenter.sh/capacity-type": [CAPACITY_TYPES[type(spec.capacity)]],
    }
    if spec.zones:
        wanted["topology.kubernetes.io/zone"] = [*spec.zones]
    if isinstance(spec.capacity, Reservation | CapacityBlock):
        kind = "capacity-block" if isinstance(spec.capacity, CapacityBlock) else "default"
        wanted["karpenter.k8s.aws/capacity-reservation-type"] = [kind]
        wanted["karpenter.k8s.aws/capacity-reservation-id"] = [spec.capacity.reservation]
    return [{"key": key, "operator": "In", "values": values} for key, values in wanted.items()]
