"""Checks of Karpenter pools."""

from typing import Any

import pulumi
import pytest

from components.gpu_node_pool.karpenter.pool import KarpenterPool
from components.validation.violation import Severity, Violation

from ..assertions import refusals
from ..aws.samples import KARPENTER, NODE_CLASS

EFA = {"network": {"kind": "efa"}}
EXISTING = {"nodeClass": {"kind": "existing", "name": "gpu"}}
RESERVED = {"capacity": {"kind": "reservation", "reservation": "cr-1"}}
STARTUP = {"key": "efs.csi.aws.com/agent-not-ready", "effect": "NoExecute"}


def own_class(**changed: Any) -> dict[str, Any]:
    return {"nodeClass": NODE_CLASS | changed}


@pytest.mark.parametrize(
    ("changed", "rule", "place", "message", "fix"),
    [
        (
            own_class(role="arn:aws:iam::111122223333:role/gpu/nodes"),
            "KRP-01",
            ("nodeClass", "role"),
            "Karpenter expects the name of a role, but arn:aws:iam::111122223333:role/gpu/nodes is an ARN.",
            "Write nodes.",
        ),
        (
            {"size": {"min": 2, "max": 4}},
            "KRP-03",
            ("size", "min"),
            "min is 2, but Karpenter creates nodes only for pending pods.",
            "Remove min.",
        ),
        (
            {"size": {"desired": 2, "max": 4}},
            "KRP-03",
            ("size", "desired"),
            "desired is 2, but Karpenter creates nodes only for pending pods.",
            "Remove desired.",
        ),
        (
            {"labels": {f"label-{index}": "a" for index in range(100)}},
            "KRP-04",
            ("labels",),
            "A NodePool can have at most 100 labels, including the pool's own.",
            "Remove some.",
        ),
        (
            EXISTING | {"diskGib": 500},
            "KRP-05",
            ("diskGib",),
            "This key has no effect: node class gpu sets the disk.",
            "Remove it, or let the pool create its node class.",
        ),
        (
            own_class(subnetIds=[]),
            "AWS-01",
            ("nodeClass", "subnetIds"),
            "The list is empty.",
            "Add at least one id, `subnet-...`.",
        ),
        (
            own_class(securityGroupIds=["gpu-nodes"]),
            "AWS-01",
            ("nodeClass", "securityGroupIds", 0),
            "gpu-nodes is not an id, and AWS accepts no names here.",
            "Use the id, `sg-...`.",
        ),
        (
            own_class(tags={"karpenter.sh/nodepool": "gpu"}),
            "KRP-07",
            ("nodeClass", "tags", "karpenter.sh/nodepool"),
            "Tag karpenter.sh/nodepool is reserved for Karpenter.",
            "Remove it.",
        ),
        (
            own_class(tags={"kubernetes.io/cluster/train": "owned"}),
            "KRP-07",
            ("nodeClass", "tags", "kubernetes.io/cluster/train"),
            "Tag kubernetes.io/cluster/train is reserved for Karpenter.",
            "Remove it.",
        ),
        (
            own_class(image="ami-0123456789abcdef0"),
            "KRP-08",
            ("nodeClass", "image"),
            "ami-0123456789abcdef0 is not a known image.",
            "Use `al2023@` or `bottlerocket@` and a release, such as `al2023@v20250801`, or an `existing` node class.",
        ),
        (
            {"zones": ["us-east-2"]},
            "KRP-09",
            ("zones", 0),
            "us-east-2 is the name of a region or the id of a zone, which no node has as a label.",
            "Use the zone's name, `us-east-1a`.",
        ),
        (
            {"zones": ["us-east-2a", "use2-az1"]},
            "KRP-09",
            ("zones", 1),
            "use2-az1 is the name of a region or the id of a zone, which no node has as a label.",
            "Use the zone's name, `us-east-1a`.",
        ),
        (
            EFA | {"zones": ["us-east-2a", "us-east-2a"]},
            "KRP-09",
            ("zones", 1),
            "us-east-2a is a duplicate.",
            "Remove the duplicate.",
        ),
        (
            EFA,
            "KRP-06",
            ("zones",),
            "The pool has all zones of its subnets, but EFA works within one zone.",
            "Set one zone.",
        ),
        (
            EXISTING | EFA | {"zones": ["a", "b"]},
            "KRP-06",
            ("zones",),
            "The pool has 2 zones, but EFA works within one zone.",
            "Set one zone.",
        ),
        (
            own_class(placementGroup="near") | {"zones": ["a", "b"]},
            "KRP-06",
            ("zones",),
            "The pool has 2 zones, but a cluster placement group is in one zone.",
            "Set one zone.",
        ),
        (
            RESERVED | EFA | {"zones": ["a", "b"]},
            "KRP-06",
            ("zones",),
            "The pool has 2 zones, but EFA works within one zone.",
            "Set one zone.",
        ),
    ],
)
def test_mistakes_are_refused(
    changed: dict[str, Any], rule: str, place: tuple[str, ...], message: str, fix: str
) -> None:
    assert refusals(KarpenterPool, KARPENTER | changed) == [(rule, place, message, fix)]


@pytest.mark.parametrize(
    "changed",
    [
        own_class(image="bottlerocket@v1.44.0", instanceStore="raid0", tags={"team": "a"}),
        {"size": {"min": 0, "desired": 0, "max": 1}},
        {"labels": {f"label-{index}": "a" for index in range(99)}},
        EXISTING,
        {"diskGib": 500},
        EFA | {"zones": ["a"]},
        EFA | RESERVED,
        own_class(placementGroup="near") | {"zones": ["a"]},
        {"zones": ["us-east-2a", "us-west-2-lax-1a", "us-gov-west-1b", "us-east-1-wl1-bos-wlz-1"]},
        own_class(subnetIds=[pulumi.Output.from_input("subnet-9")], tags={"kubernetes.io/team": "a"}),
    ],
)
def test_similar_valid_specs_are_accepted(changed: dict[str, Any]) -> None:
    assert KarpenterPool.model_validate(KARPENTER | changed).check() == ()


def test_image_with_the_release_latest_is_a_warning() -> None:
    assert KarpenterPool.model_validate(KARPENTER | own_class(image="al2023@latest")).check() == (
        Violation(
            "KRP-02",
            "nodeClass.image",
            "Without a release, every new image makes all nodes of the pool outdated.",
            "Set a release, and change it deliberately.",
            Severity.WARNING,
        ),
    )


def test_settings_of_an_existing_node_class_are_rejected_in_the_pool() -> None:
    assert NODE_CLASS.keys() - {"kind"} == {"role", "subnetIds", "securityGroupIds", "image"}
    for key in NODE_CLASS.keys() - {"kind"}:
        with pytest.raises(ValueError, match="Extra inputs"):
            KarpenterPool.model_validate(
                KARPENTER | {"nodeClass": {"kind": "existing", "name": "gpu", key: NODE_CLASS[key]}}
            )


@pytest.mark.parametrize(
    ("taints", "rule", "place"),
    [
        ([STARTUP, STARTUP], "POOL-05", ("startupTaints", 1)),
        ([{"key": "nvidia.com/gpu", "effect": "NoSchedule"}], "POOL-05", ("startupTaints", 0)),
        ([STARTUP | {"key": "agent not ready"}], "POOL-14", ("startupTaints", 0, "key")),
    ],
)
def test_invalid_startup_taint_is_rejected(taints: list[dict[str, str]], rule: str, place: tuple[Any, ...]) -> None:
    assert [(found, where) for found, where, *_ in refusals(KarpenterPool, KARPENTER | {"startupTaints": taints})] == [
        (rule, place)
    ]
