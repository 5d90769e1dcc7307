"""Checks across the keys of an EKS pool: what EKS rejects, or accepts without an effect."""

import re
from collections.abc import Iterator

from ...validation.violation import Severity, Violation
from ..aws.ids import check_ids
from ..capacity import CapacityBlock, Reservation
from ..interconnect import Efa
from .spec import EksSpec

ROLE_ARN = r"arn:aws[\w-]*:iam::\d{12}:role/\S+"

RELEASE = r"\d+\.\d+(\.\d+)?-\d{8}"
"""Release of Amazon Linux: Kubernetes' version and a date."""

MAX_TAINTS = 50
"""Maximum number of taints of a node group. Source: EKS API, CreateNodegroup."""


def check_eks_pool(pool: EksSpec) -> Iterator[Violation]:
    """Yield the errors and warnings of an EKS pool: settings that it rejects, or accepts without an effect."""
    yield from _placement(pool)
    if isinstance(pool.node_role_arn, str) and not re.fullmatch(ROLE_ARN, pool.node_role_arn):
        message = f"{pool.node_role_arn} is not the ARN of an IAM role."
        fix = "Use `arn:aws:iam::<account>:role/<name>`."
        yield Violation("EKS-06", "nodeRoleArn", message, fix)
    if isinstance(pool.network, Efa) and not pool.security_group_ids:
        message = (
            "EFA needs a security group that allows all traffic from and to itself, which the cluster's own does not."
        )
        fix = "Set `securityGroupIds`, including the cluster's own group."
        yield Violation("EKS-01", "securityGroupIds", message, fix)
    release = pool.release_version
    if isinstance(release, str) and pool.image == "al2023" and not re.fullmatch(RELEASE, release):
        message = f"{release} is not a release of the image: it must begin with Kubernetes' version."
        yield Violation("EKS-10", "releaseVersion", message, "Use a release such as `1.33.0-20250801`, or remove it.")
    if not 1 <= pool.upgrade.max_unavailable <= 100:
        message = f"maxUnavailable is {pool.upgrade.max_unavailable}, but EKS allows 1 to 100."
        yield Violation("EKS-02", "upgrade.maxUnavailable", message, "Write 1.")
    if pool.instance_store and pool.image == "bottlerocket":
        message = "Bottlerocket's images ignore this setting and do not use the machine's own disks."
        yield Violation("EKS-03", "instanceStore", message, "Remove it, or set `image: al2023`.")
    if len(pool.declared_taints) > MAX_TAINTS:
        message = f"The pool has {len(pool.declared_taints)} taints; the maximum of a node group is {MAX_TAINTS}."
        yield Violation("EKS-04", "extraTaints", message, "Remove some.")
    if isinstance(pool.capacity, CapacityBlock) and pool.size.initial:
        message = "A node group with initial nodes fails until its capacity block begins."
        fix = "Set `min: 0`, and let an autoscaler or a scheduled action add the nodes."
        yield Violation("EKS-05", "size", message, fix, Severity.WARNING)


def _placement(pool: EksSpec) -> Iterator[Violation]:
    yield from check_ids("subnet", "subnetIds", pool.subnet_ids)
    if pool.security_group_ids:
        yield from check_ids("sg", "securityGroupIds", pool.security_group_ids)
    together = {
        "EFA works within one zone": isinstance(pool.network, Efa),
        "a cluster placement group is in one zone": pool.compact,
        "a reservation is in one zone": isinstance(pool.capacity, Reservation | CapacityBlock),
    }
    reasons = [reason for reason, holds in together.items() if holds]
    if reasons and len(set(pool.subnet_ids)) > 1:
        message = f"The pool has {len(set(pool.subnet_ids))} subnets, but {' and '.join(reasons)}."
        yield Violation("EKS-07", "subnetIds", message, "Set one subnet, in that zone.")
    if pool.compact and pool.placement_group is not None:
        message = "`compact` creates a placement group, and `placementGroup` sets another: a node can only be in one."
        yield Violation("EKS-08", "compact", message, "Remove one of them.")
    elif pool.compact and isinstance(pool.capacity, Reservation | CapacityBlock):
        message = "A new placement group has no reserved machines: some nodes start, and others wait for capacity"
        fix = "Remove it, or set `placementGroup` to the reservation's group."
        yield Violation("EKS-09", "compact", f"{message}.", fix)
