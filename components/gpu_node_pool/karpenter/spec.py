"""A GPU node pool of Karpenter: the spec."""

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
from ..taint import Taint, check_taints
from .node_class import Ec2NodeClass, ExistingNodeClass

REGION_OR_ZONE_ID = r"[a-z]+(-[a-z]+)+-\d+|[a-z0-9]+-az\d+"
"""Regions, `us-east-1`, and ids of zones, `use1-az1`."""

MAX_LABELS = 100
"""Maximum number of labels of a NodePool. Source: its CRD, karpenter 1.12."""


class KarpenterPool(AwsPool):
    """Nodes that Karpenter creates for pending pods and deletes when they are empty, in a cluster that runs it."""

    reserved_domains: ClassVar[tuple[str, ...]] = ("karpenter.sh", "karpenter.k8s.aws")
    """Karpenter can set Kubernetes' labels on nodes, which a kubelet cannot. Source: CRD of karpenter 1.12."""

    agent_taint_fix: ClassVar[str] = "Move it to `startupTaints`."

    provider: Literal["karpenter"]

    node_class: Annotated[ExistingNodeClass | Ec2NodeClass, OneOf("kind")]
    """The node class with which machines are launched."""

    zones: FrozenList[str] = ()
    """Zones of the nodes, such as `us-east-1a`. Default: those of the node class' subnets."""

    startup_taints: FrozenList[Taint] = ()
    """Taints that new nodes have until an agent removes them: `efs.csi.aws.com/agent-not-ready`. Pods of the platform
    don't tolerate them, and so wait for the agent. Default: none."""

    empty_minutes: int = Field(default=10, ge=0)
    """Minutes after which an empty node is deleted. Default 10."""

    replace_outdated: bool = False
    """Replace nodes one at a time, even while pods train there, when the image or node class changes. Default: false;
    outdated nodes are deleted when they are empty, and new ones use the changed node class."""

    weight: int | None = Field(default=None, ge=1, le=100)
    """Priority among pools that fit a pod: the highest is tried first. Default: none, the lowest."""

    @property
    def image_family(self) -> ImageFamily | None:
        """Family of the image of a node class that this pool creates. None for an existing node class."""
        return self.node_class.image_family if isinstance(self.node_class, Ec2NodeClass) else None

    def violations(self) -> Iterator[Violation]:
        """Adds the checks of Karpenter: settings that it does not support, or that have no effect."""
        yield from super().violations()
        if self.size.initial:
            key = "min" if self.size.min else "desired"
            message = f"{key} is {self.size.initial}, but Karpenter creates nodes only for pending pods."
            yield Violation("KRP-03", f"size.{key}", message, f"Remove {key}.")
        yield from check_taints("startupTaints", self.startup_taints, self.node_taints)
        if len(self.labels) >= MAX_LABELS:
            message = f"A NodePool can have at most {MAX_LABELS} labels, including the pool's own."
            yield Violation("KRP-04", "labels", message, "Remove some.")
        if isinstance(self.node_class, Ec2NodeClass):
            yield from self.node_class.violations()
        elif "disk_gib" in self.model_fields_set:
            message = f"This key has no effect: node class {self.node_class.name} sets the disk."
            yield Violation("KRP-05", "diskGib", message, "Remove it, or let the pool create its node class.")
        yield from self._check_zones()

    def _check_zones(self) -> Iterator[Violation]:
        for index, zone in enumerate(self.zones):
            if re.fullmatch(REGION_OR_ZONE_ID, zone):
                message = f"{zone} is the name of a region or the id of a zone, which no node has as a label."
                yield Violation("KRP-09", f"zones[{index}]", message, "Use the zone's name, `us-east-1a`.")
            if zone in self.zones[:index]:
                yield Violation("KRP-09", f"zones[{index}]", f"{zone} is a duplicate.", "Remove the duplicate.")
        count = len(set(self.zones))
        group = isinstance(self.node_class, Ec2NodeClass) and self.node_class.placement_group is not None
        together = {
            "EFA works within one zone": isinstance(self.network, Efa),
            "a cluster placement group is in one zone": group,
        }
        reasons = [reason for reason, holds in together.items() if holds]
        reserved = isinstance(self.capacity, Reservation | CapacityBlock)
        if reasons and not (reserved and not self.zones) and count != 1:
            has = f"{count} zones" if self.zones else "all zones of its subnets"
            message = f"The pool has {has}, but {' and '.join(reasons)}."
            yield Violation("KRP-06", "zones", message, "Set one zone.")
