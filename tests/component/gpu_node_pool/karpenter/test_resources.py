"""Karpenter's objects of a pool as resources: contents and options, for each kind of capacity."""

from typing import Any

import pulumi
import pytest

from components.gpu_node_pool import GpuNodePool
from components.gpu_node_pool.karpenter.pool import KarpenterPool

from ...monitor import Monitor, Registered, run
from ..karpenter_pools import EXISTING, MINIMAL, PRODUCTION

POOL = "urn:pulumi:test::training-platform::training-platform:index:GpuNodePool::gpu"
NODE_POOL = "kubernetes:karpenter.sh/v1:NodePool"
NODE_CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
DAEMON_SET = "kubernetes:apps/v1:DaemonSet"


def declared(said: dict[str, Any]) -> Monitor:
    return run(lambda: GpuNodePool("gpu", {"spec": KarpenterPool.model_validate(said)}))


def only(monitor: Monitor, token: str) -> Registered:
    (resource,) = monitor.of_type(token)
    return resource


def requirements(monitor: Monitor) -> dict[str, list[str]]:
    said = only(monitor, NODE_POOL).inputs["spec"]["template"]["spec"]["requirements"]
    assert {each["operator"] for each in said} == {"In"}
    return {each["key"]: each["values"] for each in said}


def test_minimal_pool_has_a_node_pool_and_a_node_class() -> None:
    monitor = declared(MINIMAL)
    assert only(monitor, NODE_CLASS).inputs == {
        "apiVersion": "karpenter.k8s.aws/v1",
        "kind": "EC2NodeClass",
        "metadata": {"name": "gpu"},
        "spec": {
            "role": "nodes",
            "amiSelectorTerms": [{"alias": "al2023@v20250801"}],
            "subnetSelectorTerms": [{"id": "subnet-1"}, {"id": "subnet-2"}],
            "securityGroupSelectorTerms": [{"id": "sg-1"}],
            "blockDeviceMappings": [
                {
                    "deviceName": "/dev/xvda",
                    "ebs": {
                        "volumeSize": "200Gi",
                        "volumeType": "gp3",
                        "encrypted": True,
                        "deleteOnTermination": True,
                    },
                }
            ],
            "metadataOptions": {"httpEndpoint": "enabled", "httpTokens": "required", "httpPutResponseHopLimit": 1},
            "tags": {"Name": "gpu"},
        },
    }
    assert only(monitor, NODE_POOL).inputs == {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": "gpu"},
        "spec": {
            "template": {
                "metadata": {
                    "labels": {"nvidia.com/gpu.deploy.operands": "false", "training-platform/node-pool": "gpu"}
                },
                "spec": {
                    "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "gpu"},
                    "requirements": [
                        {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["g5.12xlarge"]},
                        {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]},
                        {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
                    ],
                    "taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}],
                    "expireAfter": "Never",
                },
            },
            "disruption": {
                "consolidationPolicy": "WhenEmpty",
                "consolidateAfter": "10m",
                "budgets": [{"nodes": "100%", "reasons": ["Empty"]}, {"nodes": "0", "reasons": ["Drifted"]}],
            },
            "limits": {"nvidia.com/gpu": "16"},
        },
    }
    assert [plugin.name for plugin in monitor.of_type(DAEMON_SET)] == ["gpu-nvidia-device-plugin"]
    assert {resource.parent for resource in monitor.by_name() if resource.urn != POOL} == {POOL}


def test_production_pool_sets_all_arguments() -> None:
    monitor = declared(PRODUCTION)
    node_class, node_pool = only(monitor, NODE_CLASS).inputs["spec"], only(monitor, NODE_POOL).inputs["spec"]
    assert node_class["amiSelectorTerms"] == [{"alias": "bottlerocket@v1.44.0"}]
    assert [each["deviceName"] for each in node_class["blockDeviceMappings"]] == ["/dev/xvdb"]
    assert node_class["blockDeviceMappings"][0]["ebs"]["volumeSize"] == "500Gi"
    assert node_class["networkInterfaces"] == [
        {"networkCardIndex": card, "deviceIndex": 0, "interfaceType": "efa-only" if card else "interface"}
        for card in range(17)
    ]
    assert node_class["instanceStorePolicy"] == "RAID0"
    assert node_class["placementGroupSelector"] == {"name": "near"}
    assert node_class["tags"] == {"Name": "gpu", "team": "vision"}
    assert requirements(monitor) == {
        "node.kubernetes.io/instance-type": ["p6-b300.48xlarge"],
        "kubernetes.io/arch": ["amd64"],
        "karpenter.sh/capacity-type": ["on-demand"],
        "topology.kubernetes.io/zone": ["us-west-2a"],
    }
    assert node_pool["template"]["metadata"]["labels"] == {
        "nvidia.com/gpu.deploy.operands": "false",
        "team": "vision",
        "training-platform/node-pool": "gpu",
    }
    assert node_pool["template"]["spec"]["taints"] == [
        {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"},
        {"key": "team", "value": "vision", "effect": "NoExecute"},
    ]
    assert node_pool["disruption"] == {
        "consolidationPolicy": "WhenEmpty",
        "consolidateAfter": "30m",
        "budgets": [{"nodes": "100%", "reasons": ["Empty"]}, {"nodes": "1", "reasons": ["Drifted"]}],
    }
    assert node_pool["limits"] == {"nvidia.com/gpu": "128"}
    assert node_pool["weight"] == 10
    assert [plugin.name for plugin in monitor.of_type(DAEMON_SET)] == ["gpu-efa-device-plugin"]
    assert {only(monitor, token).timeouts for token in (NODE_CLASS, NODE_POOL)} == {("90m", "90m", "90m")}


@pytest.mark.parametrize(
    ("capacity", "wanted", "terms"),
    [
        ({"kind": "on-demand"}, {"karpenter.sh/capacity-type": ["on-demand"]}, None),
        ({"kind": "spot"}, {"karpenter.sh/capacity-type": ["spot"]}, None),
        (
            {"kind": "reservation", "reservation": "cr-1"},
            {
                "karpenter.sh/capacity-type": ["reserved"],
                "karpenter.k8s.aws/capacity-reservation-type": ["default"],
                "karpenter.k8s.aws/capacity-reservation-id": ["cr-1"],
            },
            [{"id": "cr-1"}],
        ),
        (
            {"kind": "capacity-block", "reservation": "cr-1"},
            {
                "karpenter.sh/capacity-type": ["reserved"],
                "karpenter.k8s.aws/capacity-reservation-type": ["capacity-block"],
                "karpenter.k8s.aws/capacity-reservation-id": ["cr-1"],
            },
            [{"id": "cr-1"}],
        ),
    ],
)
def test_each_kind_of_capacity_is_a_requirement(
    capacity: dict[str, Any], wanted: dict[str, list[str]], terms: list[dict[str, str]] | None
) -> None:
    monitor = declared(MINIMAL | {"capacity": capacity})
    machine = {"node.kubernetes.io/instance-type": ["g5.12xlarge"], "kubernetes.io/arch": ["amd64"]}
    assert requirements(monitor) == machine | wanted
    assert only(monitor, NODE_CLASS).inputs["spec"].get("capacityReservationSelectorTerms") == terms


def test_the_node_pool_is_deleted_before_its_node_class() -> None:
    monitor = declared(MINIMAL)
    assert only(monitor, NODE_CLASS).urn in only(monitor, NODE_POOL).dependencies
    assert only(monitor, NODE_POOL).urn not in only(monitor, NODE_CLASS).dependencies


def test_existing_node_class_is_used() -> None:
    monitor = declared(EXISTING)
    assert monitor.of_type(NODE_CLASS) == []
    assert only(monitor, NODE_POOL).inputs["spec"]["template"]["spec"]["nodeClassRef"] == {
        "group": "karpenter.k8s.aws",
        "kind": "EC2NodeClass",
        "name": "gpu-nodes",
    }


def test_placement_group_can_be_a_name_or_an_id() -> None:
    said = PRODUCTION | {"nodeClass": PRODUCTION["nodeClass"] | {"placementGroup": "pg-0123456789abcdef0"}}
    node_class = only(declared(said), NODE_CLASS).inputs["spec"]
    assert node_class["placementGroupSelector"] == {"id": "pg-0123456789abcdef0"}


def test_efa_is_the_second_device_of_the_first_card() -> None:
    monitor = declared(MINIMAL | {"network": {"kind": "efa"}, "zones": ["us-west-2a"]})
    assert only(monitor, NODE_CLASS).inputs["spec"]["networkInterfaces"] == [
        {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"},
        {"networkCardIndex": 0, "deviceIndex": 1, "interfaceType": "efa-only"},
    ]


def test_role_can_be_an_output() -> None:
    said = MINIMAL | {"nodeClass": MINIMAL["nodeClass"] | {"role": pulumi.Output.from_input("made-before")}}
    assert only(declared(said), NODE_CLASS).inputs["spec"]["role"] == "made-before"
