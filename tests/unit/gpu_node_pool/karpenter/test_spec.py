"""What is wrong with a pool of Karpenter's."""

from typing import Any

import pulumi
import pytest

from components.gpu_node_pool.karpenter.spec import KarpenterPool
from components.validation.violation import Severity, Violation

from ..assertions import refusals
from ..aws.test_spec import KARPENTER, NODE_CLASS

EFA = {"network": {"kind": "efa"}}
EXISTING = {"nodeClass": {"kind": "existing", "name": "gpu"}}
RESERVED = {"capacity": {"kind": "reservation", "reservation": "cr-1"}}


def own_class(**changed: Any) -> dict[str, Any]:
    return {"nodeClass": NODE_CLASS | changed}


@pytest.mark.parametrize(
    ("changed", "rule", "place", "message", "fix"),
    [
        (
            own_class(role="arn:aws:iam::111122223333:role/gpu/nodes"),
            "KRP-01",
            ("nodeClass", "role"),
            "Karpenter takes the name of a role, and arn:aws:iam::111122223333:role/gpu/nodes is an ARN.",
            "Write nodes.",
        ),
        (
            {"size": {"min": 2, "max": 4}},
            "KRP-03",
            ("size", "min"),
            "min is 2, but Karpenter makes nodes only for pods that wait for them.",
            "Take min out.",
        ),
        (
            {"size": {"desired": 2, "max": 4}},
            "KRP-03",
            ("size", "desired"),
            "desired is 2, but Karpenter makes nodes only for pods that wait for them.",
            "Take desired out.",
        ),
        (
            {"labels": {f"label-{index}": "a" for index in range(100)}},
            "KRP-04",
            ("labels",),
            "a NodePool takes 100 labels, the pool's own among them.",
            "Take some out.",
        ),
        (
            EXISTING | {"diskGib": 500},
            "KRP-05",
            ("diskGib",),
            "the disk of the nodes is as the node class gpu says, whatever stands here.",
            "Take it out, or let the pool make its node class.",
        ),
        (
            own_class(subnetIds=[]),
            "AWS-01",
            ("nodeClass", "subnetIds"),
            "the list is empty.",
            "Write one id at least, `subnet-...`.",
        ),
        (
            own_class(securityGroupIds=["gpu-nodes"]),
            "AWS-01",
            ("nodeClass", "securityGroupIds", 0),
            "gpu-nodes is no id, and AWS takes no names here.",
            "Write the id, `sg-` and what follows.",
        ),
        (
            own_class(tags={"karpenter.sh/nodepool": "gpu"}),
            "KRP-07",
            ("nodeClass", "tags", "karpenter.sh/nodepool"),
            "the tag karpenter.sh/nodepool is Karpenter's to set.",
            "Take it out.",
        ),
        (
            own_class(tags={"kubernetes.io/cluster/train": "owned"}),
            "KRP-07",
            ("nodeClass", "tags", "kubernetes.io/cluster/train"),
            "the tag kubernetes.io/cluster/train is Karpenter's to set.",
            "Take it out.",
        ),
        (
            own_class(image="ami-0123456789abcdef0"),
            "KRP-08",
            ("nodeClass", "image"),
            "ami-0123456789abcdef0 is no image that is known here.",
            "Write `al2023@` or `bottlerocket@` and a release, `al2023@v20250801`; or name an `existing` class.",
        ),
        (
            {"zones": ["us-east-2"]},
            "KRP-09",
            ("zones", 0),
            "us-east-2 is the name of a region, or the id of a zone: no node is labelled so.",
            "Write the zone's name, `us-east-1a`.",
        ),
        (
            {"zones": ["us-east-2a", "use2-az1"]},
            "KRP-09",
            ("zones", 1),
            "use2-az1 is the name of a region, or the id of a zone: no node is labelled so.",
            "Write the zone's name, `us-east-1a`.",
        ),
        (
            EFA | {"zones": ["us-east-2a", "us-east-2a"]},
            "KRP-09",
            ("zones", 1),
            "us-east-2a is in the list twice.",
            "Take it out once.",
        ),
        (
            EFA,
            "KRP-06",
            ("zones",),
            "the pool has all zones of its subnets, but EFA works inside one zone.",
            "Name one zone.",
        ),
        (
            EXISTING | EFA | {"zones": ["a", "b"]},
            "KRP-06",
            ("zones",),
            "the pool has 2 zones, but EFA works inside one zone.",
            "Name one zone.",
        ),
        (
            own_class(placementGroup="near") | {"zones": ["a", "b"]},
            "KRP-06",
            ("zones",),
            "the pool has 2 zones, but a cluster placement group is in one zone.",
            "Name one zone.",
        ),
        (
            RESERVED | EFA | {"zones": ["a", "b"]},
            "KRP-06",
            ("zones",),
            "the pool has 2 zones, but EFA works inside one zone.",
            "Name one zone.",
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
        {"size": {"min": 0, "desired": 0, "max": 4}},
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
def test_their_neighbours_are_taken(changed: dict[str, Any]) -> None:
    assert KarpenterPool.model_validate(KARPENTER | changed).check() == ()


def test_an_image_that_changes_by_itself_is_warned_of() -> None:
    assert KarpenterPool.model_validate(KARPENTER | own_class(image="al2023@latest")).check() == (
        Violation(
            "KRP-02",
            "nodeClass.image",
            "with each release of the image all nodes of the pool are out of date.",
            "Name a release, and change it when you want to.",
            Severity.WARNING,
        ),
    )


def test_what_an_existing_node_class_says_cannot_be_said_beside_it() -> None:
    assert NODE_CLASS.keys() - {"kind"} == {"role", "subnetIds", "securityGroupIds", "image"}
    for key in NODE_CLASS.keys() - {"kind"}:
        with pytest.raises(ValueError, match="Extra inputs"):
            KarpenterPool.model_validate(
                KARPENTER | {"nodeClass": {"kind": "existing", "name": "gpu", key: NODE_CLASS[key]}}
            )
