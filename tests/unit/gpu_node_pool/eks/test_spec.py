"""What is wrong with a node group of EKS."""

from typing import Any

import pulumi
import pytest

from components.gpu_node_pool.eks.spec import EksPool
from components.validation.violation import Severity, Violation

from ..assertions import refusals
from ..aws.test_spec import EKS

EFA = {"network": {"kind": "efa"}, "securityGroupIds": ["sg-1"]}
RESERVED = {"capacity": {"kind": "reservation", "reservation": "cr-1"}}
BLOCK = {"capacity": {"kind": "capacity-block", "reservation": "cr-1"}}
TWO = {"subnetIds": ["subnet-1", "subnet-2"]}
ONE_SUBNET = "Name one subnet, in that zone."


@pytest.mark.parametrize(
    ("changed", "rule", "place", "message", "fix"),
    [
        (
            {"network": {"kind": "efa"}},
            "EKS-01",
            ("securityGroupIds",),
            "EFA needs a security group that allows all traffic from and to itself; the cluster's own does not.",
            "Name the groups of the nodes, the cluster's own among them, in `securityGroupIds`.",
        ),
        (
            {"upgrade": {"maxUnavailable": 0, "maxSurge": 1}},
            "EKS-02",
            ("upgrade", "maxUnavailable"),
            "EKS takes 1 to 100 nodes that are away at once, not 0.",
            "Write 1.",
        ),
        (
            {"upgrade": {"maxUnavailable": 101}},
            "EKS-02",
            ("upgrade", "maxUnavailable"),
            "EKS takes 1 to 100 nodes that are away at once, not 101.",
            "Write 1.",
        ),
        (
            {"image": "bottlerocket", "instanceStore": "raid0"},
            "EKS-03",
            ("instanceStore",),
            "Bottlerocket's images leave the machine's own disks alone, whatever a node group says.",
            "Take it out, or write `image: al2023`.",
        ),
        (
            {"extraTaints": [{"key": f"taint-{index}", "effect": "NoSchedule"} for index in range(50)]},
            "EKS-04",
            ("extraTaints",),
            "a node group takes 50 taints, and the pool has 51.",
            "Take some out.",
        ),
        (
            {"nodeRoleArn": "training-nodes"},
            "EKS-06",
            ("nodeRoleArn",),
            "training-nodes is no ARN of an IAM role.",
            "Write `arn:aws:iam::`, the account, `:role/` and the role's name.",
        ),
        (
            {"nodeRoleArn": "arn:aws:iam::111122223333:instance-profile/nodes"},
            "EKS-06",
            ("nodeRoleArn",),
            "arn:aws:iam::111122223333:instance-profile/nodes is no ARN of an IAM role.",
            "Write `arn:aws:iam::`, the account, `:role/` and the role's name.",
        ),
        (
            {"releaseVersion": "v20250801"},
            "EKS-10",
            ("releaseVersion",),
            "v20250801 is no release of the image, which begin with Kubernetes' version.",
            "Write such as `1.33.0-20250801`, or take it out.",
        ),
        ({"subnetIds": []}, "AWS-01", ("subnetIds",), "the list is empty.", "Write one id at least, `subnet-...`."),
        (
            {"subnetIds": ["private-a"]},
            "AWS-01",
            ("subnetIds", 0),
            "private-a is no id, and AWS takes no names here.",
            "Write the id, `subnet-` and what follows.",
        ),
        (
            EFA | {"securityGroupIds": ["sg-1", "default"]},
            "AWS-01",
            ("securityGroupIds", 1),
            "default is no id, and AWS takes no names here.",
            "Write the id, `sg-` and what follows.",
        ),
        (
            EFA | {"subnetIds": ["subnet-1", "subnet-1"]},
            "AWS-01",
            ("subnetIds", 1),
            "subnet-1 is in the list twice.",
            "Take it out once.",
        ),
        (
            EFA | TWO,
            "EKS-07",
            ("subnetIds",),
            "the pool has 2 subnets, but EFA works inside one zone.",
            ONE_SUBNET,
        ),
        (
            {"compact": True} | TWO,
            "EKS-07",
            ("subnetIds",),
            "the pool has 2 subnets, but a cluster placement group is in one zone.",
            ONE_SUBNET,
        ),
        (
            RESERVED | TWO,
            "EKS-07",
            ("subnetIds",),
            "the pool has 2 subnets, but a reservation is in one zone.",
            ONE_SUBNET,
        ),
        (
            EFA | BLOCK | TWO,
            "EKS-07",
            ("subnetIds",),
            "the pool has 2 subnets, but EFA works inside one zone and a reservation is in one zone.",
            ONE_SUBNET,
        ),
        (
            {"compact": True, "placementGroup": "near"},
            "EKS-08",
            ("compact",),
            "`compact` makes a placement group, and `placementGroup` names another: a node is in one.",
            "Take one of the two out.",
        ),
        (
            {"compact": True} | RESERVED,
            "EKS-09",
            ("compact",),
            "a new placement group has no reserved machines in it: some nodes come, the others wait for capacity.",
            "Take it out; or name the group that the reservation was made in, as `placementGroup`.",
        ),
        (
            {"compact": True} | BLOCK,
            "EKS-09",
            ("compact",),
            "a new placement group has no reserved machines in it: some nodes come, the others wait for capacity.",
            "Take it out; or name the group that the reservation was made in, as `placementGroup`.",
        ),
    ],
)
def test_mistakes_are_refused(
    changed: dict[str, Any], rule: str, place: tuple[str, ...], message: str, fix: str
) -> None:
    assert refusals(EksPool, EKS | changed) == [(rule, place, message, fix)]


@pytest.mark.parametrize(
    "changed",
    [
        EFA,
        {"upgrade": {"maxUnavailable": 1, "maxSurge": 1}},
        {"upgrade": {"maxUnavailable": 100}},
        {"instanceStore": "raid0"},
        {"releaseVersion": "1.33.0-20250801"},
        {"releaseVersion": "1.44.0-0a1b2c3d", "image": "bottlerocket"},
        {"nodeRoleArn": "arn:aws-us-gov:iam::111122223333:role/teams/nodes"},
        {"nodeRoleArn": pulumi.Output.from_input("made-before"), "subnetIds": [pulumi.Output.from_input("subnet-9")]},
        {"extraTaints": [{"key": f"taint-{index}", "effect": "NoSchedule"} for index in range(49)]},
        TWO,
        {"compact": True},
        EFA | {"compact": True},
        RESERVED | {"placementGroup": "near"},
        BLOCK,
        {"capacity": {"kind": "spot"}} | TWO,
    ],
)
def test_their_neighbours_are_taken(changed: dict[str, Any]) -> None:
    assert EksPool.model_validate(EKS | changed).check() == ()


def test_a_capacity_block_that_has_not_begun_has_no_nodes() -> None:
    assert EksPool.model_validate(EKS | BLOCK | {"size": {"min": 0, "desired": 2, "max": 4}}).check() == (
        Violation(
            "EKS-05",
            "size",
            "a node group that starts with nodes fails until the day that its capacity block begins.",
            "Write `min: 0`, and let an autoscaler, or a scheduled action, ask for the nodes.",
            Severity.WARNING,
        ),
    )


def test_everything_that_is_wrong_is_told_at_once() -> None:
    wrong = EKS | {"network": {"kind": "efa"}, "diskGib": 20, "driver": "operator"} | TWO
    assert [(rule, place) for rule, place, *_ in refusals(EksPool, wrong)] == [
        ("POOL-06", ("diskGib",)),
        ("AWS-02", ("driver",)),
        ("EKS-07", ("subnetIds",)),
        ("EKS-01", ("securityGroupIds",)),
    ]


@pytest.mark.parametrize(
    ("changed", "ami_type"),
    [
        ({}, "AL2023_x86_64_NVIDIA"),
        ({"machineType": "g5g.16xlarge"}, "AL2023_ARM_64_NVIDIA"),
        ({"image": "bottlerocket"}, "BOTTLEROCKET_x86_64_NVIDIA"),
        ({"image": "bottlerocket", "machineType": "g5g.16xlarge"}, "BOTTLEROCKET_ARM_64_NVIDIA"),
        ({"machineType": "p9.48xlarge", "figures": {"gpus": 8}}, "AL2023_x86_64_NVIDIA"),
    ],
)
def test_the_image_is_of_the_machines_architecture(changed: dict[str, Any], ami_type: str) -> None:
    assert EksPool.model_validate(EKS | changed).ami_type == ami_type


def test_the_cluster_autoscaler_sees_that_gpus_are_to_come() -> None:
    labels = {"team": "vision", "k8s.amazonaws.com/accelerator": "ours"}
    assert EksPool.model_validate(EKS).node_labels("gpu") == {
        "k8s.amazonaws.com/accelerator": "nvidia-h100",
        "nvidia.com/gpu.deploy.operands": "false",
        "training-platform/node-pool": "gpu",
    }
    assert EksPool.model_validate(EKS | {"labels": labels}).node_labels("gpu") == {
        "k8s.amazonaws.com/accelerator": "ours",
        "nvidia.com/gpu.deploy.operands": "false",
        "team": "vision",
        "training-platform/node-pool": "gpu",
    }
