"""Checks of EKS pools."""

from typing import Any

import pulumi
import pytest

from components.gpu_node_pool.eks.pool import EksPool
from components.validation.violation import Severity, Violation

from ..assertions import refusals
from ..aws.samples import EKS

EFA = {"network": {"kind": "efa"}, "securityGroupIds": ["sg-1"]}
RESERVED = {"capacity": {"kind": "reservation", "reservation": "cr-1"}}
BLOCK = {"capacity": {"kind": "capacity-block", "reservation": "cr-1"}}
TWO = {"subnetIds": ["subnet-1", "subnet-2"]}
ONE_SUBNET = "Set one subnet, in that zone."


@pytest.mark.parametrize(
    ("changed", "rule", "place", "message", "fix"),
    [
        (
            {"network": {"kind": "efa"}},
            "EKS-01",
            ("securityGroupIds",),
            "EFA needs a security group that allows all traffic from and to itself, which the cluster's own does not.",
            "Set `securityGroupIds`, including the cluster's own group.",
        ),
        (
            {"upgrade": {"maxUnavailable": 0, "maxSurge": 1}},
            "EKS-02",
            ("upgrade", "maxUnavailable"),
            "maxUnavailable is 0, but EKS allows 1 to 100.",
            "Write 1.",
        ),
        (
            {"upgrade": {"maxUnavailable": 101}},
            "EKS-02",
            ("upgrade", "maxUnavailable"),
            "maxUnavailable is 101, but EKS allows 1 to 100.",
            "Write 1.",
        ),
        (
            {"image": "bottlerocket", "instanceStore": "raid0"},
            "EKS-03",
            ("instanceStore",),
            "Bottlerocket's images ignore this setting and do not use the machine's own disks.",
            "Remove it, or set `image: al2023`.",
        ),
        (
            {"extraTaints": [{"key": f"taint-{index}", "effect": "NoSchedule"} for index in range(50)]},
            "EKS-04",
            ("extraTaints",),
            "The pool has 51 taints; the maximum of a node group is 50.",
            "Remove some.",
        ),
        (
            {"nodeRoleArn": "training-nodes"},
            "EKS-06",
            ("nodeRoleArn",),
            "training-nodes is not the ARN of an IAM role.",
            "Use `arn:aws:iam::<account>:role/<name>`.",
        ),
        (
            {"nodeRoleArn": "arn:aws:iam::111122223333:instance-profile/nodes"},
            "EKS-06",
            ("nodeRoleArn",),
            "arn:aws:iam::111122223333:instance-profile/nodes is not the ARN of an IAM role.",
            "Use `arn:aws:iam::<account>:role/<name>`.",
        ),
        (
            {"releaseVersion": "v20250801"},
            "EKS-10",
            ("releaseVersion",),
            "v20250801 is not a release of the image: it must begin with Kubernetes' version.",
            "Use a release such as `1.33.0-20250801`, or remove it.",
        ),
        ({"subnetIds": []}, "AWS-01", ("subnetIds",), "The list is empty.", "Add at least one id, `subnet-...`."),
        (
            {"subnetIds": ["private-a"]},
            "AWS-01",
            ("subnetIds", 0),
            "private-a is not an id, and AWS accepts no names here.",
            "Use the id, `subnet-...`.",
        ),
        (
            EFA | {"securityGroupIds": ["sg-1", "default"]},
            "AWS-01",
            ("securityGroupIds", 1),
            "default is not an id, and AWS accepts no names here.",
            "Use the id, `sg-...`.",
        ),
        (
            EFA | {"subnetIds": ["subnet-1", "subnet-1"]},
            "AWS-01",
            ("subnetIds", 1),
            "subnet-1 is a duplicate.",
            "Remove the duplicate.",
        ),
        (
            EFA | TWO,
            "EKS-07",
            ("subnetIds",),
            "The pool has 2 subnets, but EFA works within one zone.",
            ONE_SUBNET,
        ),
        (
            {"compact": True} | TWO,
            "EKS-07",
            ("subnetIds",),
            "The pool has 2 subnets, but a cluster placement group is in one zone.",
            ONE_SUBNET,
        ),
        (
            RESERVED | TWO,
            "EKS-07",
            ("subnetIds",),
            "The pool has 2 subnets, but a reservation is in one zone.",
            ONE_SUBNET,
        ),
        (
            EFA | BLOCK | TWO,
            "EKS-07",
            ("subnetIds",),
            "The pool has 2 subnets, but EFA works within one zone and a reservation is in one zone.",
            ONE_SUBNET,
        ),
        (
            {"compact": True, "placementGroup": "near"},
            "EKS-08",
            ("compact",),
            "`compact` creates a placement group, and `placementGroup` sets another: a node can only be in one.",
            "Remove one of them.",
        ),
        (
            {"compact": True} | RESERVED,
            "EKS-09",
            ("compact",),
            "A new placement group has no reserved machines: some nodes start, and others wait for capacity.",
            "Remove it, or set `placementGroup` to the reservation's group.",
        ),
        (
            {"compact": True} | BLOCK,
            "EKS-09",
            ("compact",),
            "A new placement group has no reserved machines: some nodes start, and others wait for capacity.",
            "Remove it, or set `placementGroup` to the reservation's group.",
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
def test_similar_valid_specs_are_accepted(changed: dict[str, Any]) -> None:
    assert EksPool.model_validate(EKS | changed).check() == ()


def test_capacity_block_starts_without_nodes() -> None:
    assert EksPool.model_validate(
        EKS | BLOCK | {"machineType": "g5.48xlarge", "size": {"min": 0, "desired": 2, "max": 4}}
    ).check() == (
        Violation(
            "EKS-05",
            "size",
            "A node group with initial nodes fails until its capacity block begins.",
            "Set `min: 0`, and let an autoscaler or a scheduled action add the nodes.",
            Severity.WARNING,
        ),
    )


def test_all_violations_are_reported_together() -> None:
    wrong = EKS | {"network": {"kind": "efa"}, "diskGib": 20, "driver": "operator"} | TWO
    assert [(rule, place) for rule, place, *_ in refusals(EksPool, wrong)] == [
        ("POOL-06", ("diskGib",)),
        ("AWS-02", ("driver",)),
        ("EKS-07", ("subnetIds",)),
        ("EKS-01", ("securityGroupIds",)),
    ]
