"""Checks across the keys of a Karpenter pool: what Karpenter does not support, or what has no effect."""

import re
from collections.abc import Iterator

from ...validation.violation import Violation
from ..capacity import CapacityBlock, Reservation
from ..interconnect import Efa
from ..taint import check_taints
from .node_class import Ec2NodeClass
from .spec import KarpenterSpec

REGION_OR_ZONE_ID = r"[a-z]+(-[a-z]+)+-\d+|[a-z0-9]+-az\d+"
"""Regions, `us-east-1`, and ids of zones, `use1-az1`."""

MAX_LABELS = 100
"""Maximum number of labels of a NodePool. Source: its CRD, karpenter 1.12."""


def check_karpenter_pool(pool: KarpenterSpec) -> Iterator[Violation]:
    """Yield the errors and warnings of a Karpenter pool: settings that it does not support, or that have no effect."""
    if pool.size.initial:
        key = "min" if pool.size.min else "desired"
        message = f"{key} is {pool.size.initial}, but Karpenter creates nodes only for pending pods."
        yield Violation("KRP-03", f"size.{key}", message, f"Remove {key}.")
    yield from check_taints("startupTaints", pool.startup_taints, pool.node_taints)
    if len(pool.labels) >= MAX_LABELS:
        message = f"A NodePool can have at most {MAX_LABELS} labels, including the pool's own."
        yield Violation("KRP-04", "labels", message, "Remove some.")
    if isinstance(pool.node_class, Ec2NodeClass):
        yield from pool.node_class.violations()
    elif "disk_gib" in pool.model_fields_set:
        message = f"This key has no effect: node class {pool.node_class.name} sets the disk."
        yield Violation("KRP-05", "diskGib", message, "Remove it, or let the pool create its node class.")
    yield from _zones(pool)


def _zones(pool: KarpenterSpec) -> Iterator[Violation]:
    for index, zone in enumerate(pool.zones):
        if re.fullmatch(REGION_OR_ZONE_ID, zone):
            message = f"{zone} is the name of a region or the id of a zone, which no node has as a label."
            yield Violation("KRP-09", f"zones[{index}]", message, "Use the zone's name, `us-east-1a`.")
        if zone in pool.zones[:index]:
            yield Violation("KRP-09", f"zones[{index}]", f"{zone} is a duplicate.", "Remove the duplicate.")
    count = len(set(pool.zones))
    group = isinstance(pool.node_class, Ec2NodeClass) and pool.node_class.placement_group is not None
    together = {
        "EFA works within one zone": isinstance(pool.network, Efa),
        "a cluster placement group is in one zone": group,
    }
    reasons = [reason for reason, holds in together.items() if holds]
    reserved = isinstance(pool.capacity, Reservation | CapacityBlock)
    if reasons and not (reserved and not pool.zones) and count != 1:
        has = f"{count} zones" if pool.zones else "all zones of its subnets"
        message = f"The pool has {has}, but {' and '.join(reasons)}."
        yield Violation("KRP-06", "zones", message, "Set one zone.")
