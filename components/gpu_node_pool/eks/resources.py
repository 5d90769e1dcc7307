"""A managed node group of EKS, its launch template, and tags for the cluster autoscaler."""

import base64
from collections.abc import Iterator, Mapping, Sequence

import pulumi
import pulumi_aws as aws
from pulumi_aws.eks.outputs import NodeGroupResource

from ..aws.efa import EFA_RESOURCE, efa_interfaces
from ..aws.ids import is_placement_group_id
from ..aws.images import CONTAINER_DISK_DEVICE
from ..capacity import CapacityBlock, OnDemand, Reservation, Spot
from ..device_plugins import install
from ..short_name import shorten_name
from .pool import EksPool

CAPACITY_TYPES = {OnDemand: "ON_DEMAND", Spot: "SPOT", Reservation: "ON_DEMAND", CapacityBlock: "CAPACITY_BLOCK"}
"""The kinds of capacity in EKS' API. A reservation is on demand there, and the launch template refers to it."""

MAX_NAME_LENGTH = 63
"""Maximum length of a node group's name. Source: EKS API, CreateNodegroup."""

AUTOSCALER_TAG_PREFIX = "k8s.io/cluster-autoscaler/node-template/"
"""Prefix of the tags from which the cluster autoscaler learns about the nodes of an empty group."""

RAID0 = """\
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="BOUNDARY"

--BOUNDARY
Content-Type: application/node.eks.aws

apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  instance:
    localStorage:
      strategy: RAID0

--BOUNDARY--
"""
"""User data that combines the machine's own disks. EKS adds its own part (awslabs/amazon-eks-ami, nodeadm)."""


def declare_node_group(pool: str, spec: EksPool, opts: pulumi.ResourceOptions) -> None:
    """Declare the node group and its dependencies. Pulumi generates all names, so that a new node group can be created
    next to the one that it replaces."""
    placement_group = aws.ec2.PlacementGroup(pool, strategy="cluster", opts=opts).name if spec.compact else None
    template = aws.ec2.LaunchTemplate(pool, launch_template(pool, spec, placement_group), opts=opts)
    nodes = aws.eks.NodeGroup(
        shorten_name(pool, MAX_NAME_LENGTH),
        node_group(pool, spec, template.id, template.latest_version),
        opts=pulumi.ResourceOptions.merge(opts, node_group_options(spec)),
    )
    name = nodes.resources.apply(_scaling_group)
    for key, value in autoscaler_tags(pool, spec).items():
        tag = aws.autoscaling.TagTagArgs(key=key, value=value, propagate_at_launch=False)
        resource = f"{pool}-{key.removeprefix(AUTOSCALER_TAG_PREFIX)}"
        aws.autoscaling.Tag(resource, autoscaling_group_name=name, tag=tag, opts=opts)
    needs = spec.placement(pool)
    for plugin in spec.device_plugins:
        install(plugin, pool, needs.node_selector, needs.tolerations, opts)


def _scaling_group(resources: Sequence[NodeGroupResource] | None) -> str | None:
    """The auto scaling group that EKS creates. None if tests mock the node group without it."""
    groups = [group for each in resources or () for group in each.autoscaling_groups or ()]
    return groups[0].name if groups else None


def launch_template(pool: str, spec: EksPool, placement_group: pulumi.Input[str] | None) -> aws.ec2.LaunchTemplateArgs:
    """The arguments of the launch template. `placement_group` is the name of the placement group that the pool
    creates."""
    template = aws.ec2
    disk = template.LaunchTemplateBlockDeviceMappingEbsArgs(
        volume_size=spec.disk_gib, volume_type="gp3", encrypted="true", delete_on_termination="true"
    )
    tags = {"Name": pool}
    arguments = template.LaunchTemplateArgs(
        update_default_version=True,
        block_device_mappings=[
            template.LaunchTemplateBlockDeviceMappingArgs(device_name=CONTAINER_DISK_DEVICE[spec.image], ebs=disk)
        ],
        # Pods get credentials of their own, not the node's: one hop ends before the pods' network.
        metadata_options=template.LaunchTemplateMetadataOptionsArgs(
            http_endpoint="enabled", http_tokens="required", http_put_response_hop_limit=1
        ),
        tag_specifications=[
            template.LaunchTemplateTagSpecificationArgs(resource_type=kind, tags=tags)
            for kind in ("instance", "volume")
        ],
    )
    if spec.efa_devices:
        arguments.network_interfaces = [
            template.LaunchTemplateNetworkInterfaceArgs(
                network_card_index=interface.card,
                device_index=interface.device,
                interface_type=interface.type,
                security_groups=[*spec.security_group_ids],
                delete_on_termination="true",
            )
            for interface in efa_interfaces(spec.machine_type, spec.efa_devices, "efa")
        ]
    elif spec.security_group_ids:
        # A launch template accepts them here or in its interfaces, but not in both.
        arguments.vpc_security_group_ids = [*spec.security_group_ids]
    if placement_group is not None:
        arguments.placement = template.LaunchTemplatePlacementArgs(group_name=placement_group)
    elif spec.placement_group is not None:
        group, by_id = spec.placement_group, is_placement_group_id(spec.placement_group)
        arguments.placement = template.LaunchTemplatePlacementArgs(
            group_id=group if by_id else None, group_name=None if by_id else group
        )
    if isinstance(spec.capacity, Reservation | CapacityBlock):
        target = template.LaunchTemplateCapacityReservationSpecificationCapacityReservationTargetArgs(
            capacity_reservation_id=spec.capacity.reservation
        )
        arguments.capacity_reservation_specification = template.LaunchTemplateCapacityReservationSpecificationArgs(
            capacity_reservation_target=target
        )
    if isinstance(spec.capacity, CapacityBlock):
        arguments.instance_type = spec.machine_type
        arguments.instance_market_options = template.LaunchTemplateInstanceMarketOptionsArgs(
            market_type="capacity-block"
        )
    if spec.instance_store:
        arguments.user_data = base64.b64encode(RAID0.encode()).decode()
    return arguments


def node_group(
    pool: str, spec: EksPool, template: pulumi.Input[str], version: pulumi.Input[int]
) -> aws.eks.NodeGroupArgs:
    """The arguments of the node group. `template` is the id of the launch template."""
    return aws.eks.NodeGroupArgs(
        cluster_name=spec.cluster,
        node_role_arn=spec.node_role_arn,
        subnet_ids=[*spec.subnet_ids],
        scaling_config=aws.eks.NodeGroupScalingConfigArgs(
            min_size=spec.size.min, max_size=spec.size.max, desired_size=spec.size.initial
        ),
        # For a capacity block the launch template sets the machine type, and it must not be set here too.
        instance_types=None if isinstance(spec.capacity, CapacityBlock) else [spec.machine_type],
        ami_type=spec.ami_type,
        release_version=spec.release_version,
        capacity_type=CAPACITY_TYPES[type(spec.capacity)],
        labels=spec.node_labels(pool),
        taints=[
            aws.eks.NodeGroupTaintArgs(key=taint.key, value=taint.value, effect=taint.cloud_effect)
            for taint in spec.declared_taints
        ],
        update_config=aws.eks.NodeGroupUpdateConfigArgs(
            max_unavailable=spec.upgrade.max_unavailable,
            update_strategy="DEFAULT" if spec.upgrade.max_surge else "MINIMAL",
        ),
        node_repair_config=aws.eks.NodeGroupNodeRepairConfigArgs(enabled=spec.repair),
        launch_template=aws.eks.NodeGroupLaunchTemplateArgs(
            id=template, version=pulumi.Output.from_input(version).apply(str)
        ),
    )


def node_group_options(spec: EksPool) -> pulumi.ResourceOptions:
    """The resource options of the node group."""
    timeout = f"{spec.timeout_minutes}m"
    reserved = isinstance(spec.capacity, Reservation | CapacityBlock)
    return pulumi.ResourceOptions(
        # By its name in the engine: the name in Python has no effect (pulumi/pulumi#7081).
        ignore_changes=["scalingConfig.desiredSize"] if spec.size.autoscaled else None,
        # Reserved machines are available to a new node group only after the old one is deleted.
        delete_before_replace=True if reserved else None,
        custom_timeouts=pulumi.CustomTimeouts(create=timeout, update=timeout, delete=timeout),
    )


def autoscaler_tags(pool: str, spec: EksPool) -> Mapping[str, str]:
    """Tags of the node group's auto scaling group. The cluster autoscaler can query EKS' API only after the group has
    had its first node; without these tags an empty group stays empty (kubernetes/autoscaler, AWS README)."""
    return dict(_autoscaler_tags(pool, spec)) if spec.size.autoscaled else {}


def _autoscaler_tags(pool: str, spec: EksPool) -> Iterator[tuple[str, str]]:
    for key, value in spec.node_labels(pool).items():
        yield f"{AUTOSCALER_TAG_PREFIX}label/{key}", value
    for taint in spec.declared_taints:
        yield f"{AUTOSCALER_TAG_PREFIX}taint/{taint.key}", f"{taint.value or ''}:{taint.effect}"
    yield f"{AUTOSCALER_TAG_PREFIX}resources/ephemeral-storage", f"{spec.disk_gib}Gi"
    yield f"{AUTOSCALER_TAG_PREFIX}resources/{spec.gpu_resource}", str(spec.machine.gpus)
    if spec.efa_devices:
        yield f"{AUTOSCALER_TAG_PREFIX}resources/{EFA_RESOURCE}", str(spec.efa_devices)
