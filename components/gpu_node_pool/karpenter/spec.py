"""What Karpenter is told of a pool."""

import re
from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from ...validation.model import FrozenList
from ...validation.one_of import OneOf
from ...validation.violation import Violation
from ..aws.images import ImageFamily
from ..aws.spec import AwsPool
from ..capacity import CapacityBlock, Reservation
from ..interconnect import Efa
from .node_class import Ec2NodeClass, ExistingNodeClass

REGION_OR_ZONE_ID = r"[a-z]+(-[a-z]+)+-\d+|[a-z0-9]+-az\d+"
"""Regions, `us-east-1`, and ids of zones, `use1-az1`."""

MAX_LABELS = 100
"""That a NodePool takes. Source: its CRD, karpenter 1.12."""


class KarpenterPool(AwsPool):
    """Nodes that Karpenter makes for pods that wait, and takes away when they are empty, in a cluster that runs it."""

    reserved_domains: ClassVar[tuple[str, ...]] = ("karpenter.sh", "karpenter.k8s.aws")
    """Karpenter gives the nodes Kubernetes' labels too, which a kubelet may not. Source: CRD of karpenter 1.12."""

    provider: Literal["karpenter"]

    node_class: Annotated[ExistingNodeClass | Ec2NodeClass, OneOf("kind")]
    """What machines are launched with."""

    zones: FrozenList[str] = ()
    """Zones that nodes may be in: `us-east-1a`. Default: those of the node class' subnets."""

    empty_minutes: int = Field(10, ge=0)
    """Minutes that a node stays without pods that need it. Default 10."""

    replace_outdated: bool = False
    """Whether nodes are replaced while pods train there, one at a time, once the image or the node class is another.
    Default False: outdated nodes go when they are empty; the next ones are made as the node class says."""

    weight: int | None = Field(None, ge=1, le=100)
    """Which pool Karpenter tries first where several fit: the highest. Default: none, the last."""

    @property
    def image_family(self) -> ImageFamily | None:
        """Of a node class that this pool makes; of another nobody knows."""
        return self.node_class.image_family if isinstance(self.node_class, Ec2NodeClass) else None

    def violations(self) -> Iterator[Violation]:
        """Also what Karpenter doesn't do, and what would be without effect."""
        yield from super().violations()
        if self.size.initial:
            key = "min" if self.size.min else "desired"
            message = f"{key} is {self.size.initial}, but Karpenter makes nodes only for pods that wait for them."
            yield Violation("KRP-03", f"size.{key}", message, f"Take {key} out.")
        if len(self.labels) >= MAX_LABELS:
            message = f"a NodePool takes {MAX_LABELS} labels, the pool's own among them."
            yield Violation("KRP-04", "labels", message, "Take some out.")
        if isinstance(self.node_class, Ec2NodeClass):
            yield from self.node_class.violations()
        elif "disk_gib" in self.model_fields_set:
            message = f"the disk of the nodes is as the node class {self.node_class.name} says, whatever stands here."
            yield Violation("KRP-05", "diskGib", message, "Take it out, or let the pool make its node class.")
        yield from self._check_zones()

    def _check_zones(self) -> Iterator[Violation]:
        for index, zone in enumerate(self.zones):
            if re.fullmatch(REGION_OR_ZONE_ID, zone):
                message = f"{zone} is the name of a region, or the id of a zone: no node is labelled so."
                yield Violation("KRP-09", f"zones[{index}]", message, "Write the zone's name, `us-east-1a`.")
            if zone in self.zones[:index]:
                yield Violation("KRP-09", f"zones[{index}]", f"{zone} is in the list twice.", "Take it out once.")
        count = len(set(self.zones))
        group = isinstance(self.node_class, Ec2NodeClass) and self.node_class.placement_group is not None
        together = {
            "EFA works inside one zone": isinstance(self.network, Efa),
            "a cluster placement group is in one zone": group,
        }
        reasons = [reason for reason, holds in together.items() if holds]
        reserved = isinstance(self.capacity, Reservation | CapacityBlock)
        if reasons and not (reserved and not self.zones) and count != 1:
            has = f"{count} zones" if self.zones else "all zones of its subnets"
            message = f"the pool has {has}, but {' and '.join(reasons)}."
            yield Violation("KRP-06", "zones", message, "Name one zone.")
