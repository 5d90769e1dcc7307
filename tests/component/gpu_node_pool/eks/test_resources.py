"""A node group of EKS as resources: types, arguments and options, for each kind of capacity."""

import base64
from typing import Any

import pulumi
import pytest
import yaml

from components.gpu_node_pool import GpuNodePool
from components.gpu_node_pool.eks.pool import EksPool

from ...monitor import Monitor, Registered, run
from ..eks_pool import GROUP, MINIMAL, PLACEMENT, TEMPLATE, Cloud, declared

POOL = "urn:pulumi:test::training-platform::training-platform:index:GpuNodePool::gpu"
TAG = "aws:autoscaling/tag:Tag"
DAEMON_SET = "kubernetes:apps/v1:DaemonSet"
PRODUCTION = MINIMAL | {
    "machineType": "p4d.24xlarge",
    "size": {"min": 1, "desired": 2, "max": 16},
    "network": {"kind": "efa"},
    "securityGroupIds": ["sg-cluster", "sg-efa"],
    "compact": True,
    "labels": {"team": "vision"},
    "extraTaints": [{"key": "team", "value": "vision", "effect": "NoExecute"}],
    "diskGib": 500,
    "instanceStore": "raid0",
    "releaseVersion": "1.33.0-20250801",
    "upgrade": {"maxUnavailable": 2, "maxSurge": 1},
    "repair": False,
    "timeoutMinutes": 90,
}


def only(monitor: Monitor, token: str) -> Registered:
    (resource,) = monitor.of_type(token)
    return resource


def tags(monitor: Monitor) -> dict[str, str]:
    """Tags of the auto scaling group, without their common prefix."""
    prefix = "k8s.io/cluster-autoscaler/node-template/"
    assert {tag.inputs["autoscalingGroupName"] for tag in monitor.of_type(TAG)} <= {"eks-gpu-asg"}
    assert {tag.inputs["tag"]["propagateAtLaunch"] for tag in monitor.of_type(TAG)} <= {False}
    return {tag.inputs["tag"]["key"].removeprefix(prefix): tag.inputs["tag"]["value"] for tag in monitor.of_type(TAG)}


def test_a_minimal_pool_is_a_launch_template_and_a_node_group() -> None:
    monitor = declared(MINIMAL)
    template, group = only(monitor, TEMPLATE), only(monitor, GROUP)
    assert template.inputs == {
        "updateDefaultVersion": True,
        "blockDeviceMappings": [
            {
                "deviceName": "/dev/xvda",
                "ebs": {
                    "volumeSize": 200,
                    "volumeType": "gp3",
                    "encrypted": "true",
                    "deleteOnTermination": "true",
                },
            }
        ],
        "metadataOptions": {"httpEndpoint": "enabled", "httpTokens": "required", "httpPutResponseHopLimit": 1},
        "tagSpecifications": [
            {"resourceType": "instance", "tags": {"Name": "gpu"}},
            {"resourceType": "volume", "tags": {"Name": "gpu"}},
        ],
    }
    assert group.inputs == {
        "clusterName": "train",
        "nodeRoleArn": "arn:aws:iam::111122223333:role/nodes",
        "subnetIds": ["subnet-1"],
        "scalingConfig": {"minSize": 0, "maxSize": 4, "desiredSize": 0},
        "instanceTypes": ["g5.12xlarge"],
        "amiType": "AL2023_x86_64_NVIDIA",
        "capacityType": "ON_DEMAND",
        "labels": {
            "k8s.amazonaws.com/accelerator": "nvidia-a10g",
            "nvidia.com/gpu.deploy.operands": "false",
            "training-platform/node-pool": "gpu",
        },
        "taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}],
        "updateConfig": {"maxUnavailable": 1, "updateStrategy": "MINIMAL"},
        "nodeRepairConfig": {"enabled": True},
        "launchTemplate": {"id": "gpu-id", "version": "7"},
    }
    assert tags(monitor) == {
        "label/k8s.amazonaws.com/accelerator": "nvidia-a10g",
        "label/nvidia.com/gpu.deploy.operands": "false",
        "label/training-platform/node-pool": "gpu",
        "taint/nvidia.com/gpu": "present:NoSchedule",
        "resources/ephemeral-storage": "200Gi",
        "resources/nvidia.com/gpu": "4",
    }
    assert [resource.name for resource in monitor.by_name()] == [
        "gpu",
        "gpu",
        "gpu",
        "gpu-label/k8s.amazonaws.com/accelerator",
        "gpu-label/nvidia.com/gpu.deploy.operands",
        "gpu-label/training-platform/node-pool",
        "gpu-nvidia-device-plugin",
        "gpu-resources/ephemeral-storage",
        "gpu-resources/nvidia.com/gpu",
        "gpu-taint/nvidia.com/gpu",
    ]
    assert {resource.parent for resource in monitor.by_name() if resource.urn != POOL} == {POOL}


def test_production_pool_sets_all_arguments() -> None:
    monitor = declared(PRODUCTION)
    template, group = only(monitor, TEMPLATE), only(monitor, GROUP)
    assert only(monitor, PLACEMENT).inputs == {"strategy": "cluster"}
    assert template.inputs["placement"] == {"groupName": "gpu-1a2b3c"}
    assert template.inputs["networkInterfaces"] == [
        {
            "networkCardIndex": card,
            "deviceIndex": min(card, 1),
            "interfaceType": "efa-only" if card else "efa",
            "securityGroups": ["sg-cluster", "sg-efa"],
            "deleteOnTermination": "true",
        }
        for card in range(4)
    ]
    assert "vpcSecurityGroupIds" not in template.inputs
    assert template.inputs["blockDeviceMappings"][0]["ebs"]["volumeSize"] == 500
    head, _, body = base64.b64decode(template.inputs["userData"]).decode().partition("node.eks.aws\n")
    assert head.startswith('MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="BOUNDARY"\n\n--BOUNDARY\n')
    assert yaml.safe_load(body.removesuffix("\n--BOUNDARY--\n")) == {
        "apiVersion": "node.eks.aws/v1alpha1",
        "kind": "NodeConfig",
        "spec": {"instance": {"localStorage": {"strategy": "RAID0"}}},
    }
    assert group.inputs == {
        "clusterName": "train",
        "nodeRoleArn": "arn:aws:iam::111122223333:role/nodes",
        "subnetIds": ["subnet-1"],
        "scalingConfig": {"minSize": 1, "maxSize": 16, "desiredSize": 2},
        "instanceTypes": ["p4d.24xlarge"],
        "amiType": "AL2023_x86_64_NVIDIA",
        "releaseVersion": "1.33.0-20250801",
        "capacityType": "ON_DEMAND",
        "labels": {
            "k8s.amazonaws.com/accelerator": "nvidia-a100",
            "nvidia.com/gpu.deploy.operands": "false",
            "team": "vision",
            "training-platform/node-pool": "gpu",
        },
        "taints": [
            {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"},
            {"key": "team", "value": "vision", "effect": "NO_EXECUTE"},
        ],
        "updateConfig": {"maxUnavailable": 2, "updateStrategy": "DEFAULT"},
        "nodeRepairConfig": {"enabled": False},
        "launchTemplate": {"id": "gpu-id", "version": "7"},
    }
    assert tags(monitor)["resources/vpc.amazonaws.com/efa"] == "4"
    assert tags(monitor)["taint/team"] == "vision:NoExecute"
    assert [plugin.name for plugin in monitor.of_type(DAEMON_SET)] == [
        "gpu-efa-device-plugin",
        "gpu-nvidia-device-plugin",
    ]


@pytest.mark.parametrize(
    ("capacity", "group", "template"),
    [
        ({"kind": "on-demand"}, {"capacityType": "ON_DEMAND", "instanceTypes": ["p5.48xlarge"]}, {}),
        ({"kind": "spot"}, {"capacityType": "SPOT", "instanceTypes": ["p5.48xlarge"]}, {}),
        (
            {"kind": "reservation", "reservation": "cr-1"},
            {"capacityType": "ON_DEMAND", "instanceTypes": ["p5.48xlarge"]},
            {"capacityReservationSpecification": {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}},
        ),
        (
            {"kind": "capacity-block", "reservation": "cr-1"},
            {"capacityType": "CAPACITY_BLOCK"},
            {
                "capacityReservationSpecification": {"capacityReservationTarget": {"capacityReservationId": "cr-1"}},
                "instanceMarketOptions": {"marketType": "capacity-block"},
                "instanceType": "p5.48xlarge",
            },
        ),
    ],
)
def test_each_kind_of_capacity_has_its_arguments(
    capacity: dict[str, Any], group: dict[str, Any], template: dict[str, Any]
) -> None:
    monitor = declared(MINIMAL | {"machineType": "p5.48xlarge", "capacity": capacity})
    said = only(monitor, GROUP).inputs
    assert {key: said[key] for key in ("capacityType", "instanceTypes") if key in said} == group
    common = {"updateDefaultVersion", "blockDeviceMappings", "metadataOptions", "tagSpecifications"}
    said = only(monitor, TEMPLATE).inputs
    assert {key: value for key, value in said.items() if key not in common} == template
    # A reserved machine is not there twice: the old node group goes first.
    assert only(monitor, GROUP).delete_before_replace is ("reservation" in capacity)


def test_desired_size_is_ignored_by_its_name_in_the_engine() -> None:
    assert only(declared(MINIMAL), GROUP).ignore_changes == ("scalingConfig.desiredSize",)


def test_pool_of_fixed_size_manages_its_size_and_has_no_autoscaler_tags() -> None:
    monitor = declared(MINIMAL | {"size": {"min": 4, "max": 4}})
    assert only(monitor, GROUP).ignore_changes == ()
    assert only(monitor, GROUP).inputs["scalingConfig"] == {"minSize": 4, "maxSize": 4, "desiredSize": 4}
    assert tags(monitor) == {}


def test_names_are_generated_by_pulumi() -> None:
    monitor = declared(PRODUCTION)
    for token in (TEMPLATE, GROUP, PLACEMENT):
        assert not {"name", "nodeGroupName", "namePrefix"} & only(monitor, token).inputs.keys()
    assert ["name" in plugin.inputs["metadata"] for plugin in monitor.of_type(DAEMON_SET)] == [False, False]


def test_name_of_a_node_group_has_room_for_the_suffix() -> None:
    monitor = Monitor()
    monitor.mocks = Cloud()
    spec = EksPool.model_validate(MINIMAL)
    run(lambda: [GpuNodePool(name, {"spec": spec}) for name in ("a" * 55, "a" * 62, "a" * 63)], monitor=monitor)
    names = [each.name for each in monitor.of_type(GROUP)]
    assert len(set(names)) == 3
    assert [len(name) for name in names] == [55] * 3
    assert "a" * 55 in names


def test_timeouts_are_those_of_the_spec() -> None:
    assert only(declared(MINIMAL), GROUP).timeouts == ("60m", "60m", "60m")
    assert only(declared(PRODUCTION), GROUP).timeouts == ("90m", "90m", "90m")


def test_existing_placement_group_is_used() -> None:
    monitor = declared(MINIMAL | {"placementGroup": "near"})
    assert monitor.of_type(PLACEMENT) == []
    assert only(monitor, TEMPLATE).inputs["placement"] == {"groupName": "near"}
    by_id = declared(MINIMAL | {"placementGroup": "pg-0123456789abcdef0"})
    assert only(by_id, TEMPLATE).inputs["placement"] == {"groupId": "pg-0123456789abcdef0"}


def test_security_groups_without_efa_are_in_the_launch_template() -> None:
    template = only(declared(MINIMAL | {"securityGroupIds": ["sg-1"]}), TEMPLATE)
    assert template.inputs["vpcSecurityGroupIds"] == ["sg-1"]
    assert "networkInterfaces" not in template.inputs


def test_bottlerocket_has_a_second_disk_and_no_device_plugin_is_installed() -> None:
    monitor = declared(MINIMAL | {"image": "bottlerocket"})
    assert only(monitor, TEMPLATE).inputs["blockDeviceMappings"][0]["deviceName"] == "/dev/xvdb"
    assert monitor.of_type(DAEMON_SET) == []


def test_cluster_can_be_an_output() -> None:
    said = MINIMAL | {"cluster": pulumi.Output.from_input("made-before")}
    assert only(declared(said), GROUP).inputs["clusterName"] == "made-before"


def test_warnings_are_shown_for_the_pool() -> None:
    block = {"capacity": {"kind": "capacity-block", "reservation": "cr-1"}, "size": {"min": 1, "max": 2}}
    assert declared(MINIMAL | block).log.warnings == [
        (
            POOL,
            "size: A node group with initial nodes fails until its capacity block begins. Fix: Set `min: 0`, and let "
            "an autoscaler or a scheduled action add the nodes. [EKS-05]",
        )
    ]
