"""What a managed node group of EKS is told."""

import re
from collections.abc import Iterator
from typing import ClassVar, Literal

from pydantic import Field

from ...validation.model import FrozenList
from ...validation.violation import Severity, Violation
from ..aws.ids import check_ids
from ..aws.images import ImageFamily
from ..aws.spec import AwsPool
from ..capacity import CapacityBlock, Reservation
from ..input_text import InputText
from ..interconnect import Efa
from ..reserved_labels import KUBERNETES_DOMAINS
from ..upgrade import Upgrade

ACCELERATOR_LABEL = "k8s.amazonaws.com/accelerator"
"""Label by which the cluster autoscaler sees that a new node's GPUs are still to come, and waits for them.

Source: kubernetes/autoscaler, cloudprovider/aws README. Its value is free.
"""

ROLE_ARN = r"arn:aws[\w-]*:iam::\d{12}:role/\S+"

RELEASE = r"\d+\.\d+(\.\d+)?-\d{8}"
"""Of Amazon Linux: Kubernetes' version, and a day."""

MAX_TAINTS = 50
"""That a node group takes. Source: EKS API, CreateNodegroup."""


class EksPool(AwsPool):
    """A managed node group of EKS with a launch template of its own, in a cluster that is there already."""

    reserved_domains: ClassVar[tuple[str, ...]] = (*KUBERNETES_DOMAINS, "eks.amazonaws.com")

    provider: Literal["eks"]

    cluster: InputText
    """Name of the EKS cluster."""

    node_role_arn: InputText
    """ARN of the nodes' IAM role. It needs AmazonEKSWorkerNodePolicy, AmazonEC2ContainerRegistryReadOnly (or pull only)
    and the VPC CNI's policy before the pool is made."""

    subnet_ids: FrozenList[InputText]
    """Subnets of the nodes, `subnet-...`; exactly one where all nodes must be in one zone."""

    security_group_ids: FrozenList[InputText] = ()
    """Security groups of the nodes, `sg-...`. Default: the cluster's own, which EKS takes where a launch template names
    none. With EFA they must be named; one of them must allow all traffic from and to itself, in both directions."""

    image: ImageFamily = "al2023"
    """Family of EKS' GPU image. Default: Amazon Linux 2023."""

    release_version: InputText | None = None
    """Release of the image, `1.33.0-20250801`. Default: the latest when the pool is made, and kept from then on."""

    instance_store: Literal["raid0"] | None = None
    """`raid0`: the machine's own NVMe disks hold images and scratch space. Default: they are left alone."""

    compact: bool = False
    """Whether the nodes are put near each other, in a cluster placement group that this pool makes. Default False."""

    placement_group: InputText | None = None
    """Name or id of a placement group that is there already, such as the one of a reservation. Default: none."""

    upgrade: Upgrade = Field(default_factory=Upgrade)
    """How nodes are renewed. `maxSurge` 0 (default): old nodes go before new ones come; EKS chooses the number of spare
    nodes itself where it is more."""

    repair: bool = True
    """Whether EKS replaces nodes that it finds broken, GPUs included. Default True."""

    @property
    def image_family(self) -> ImageFamily:
        """The family that the spec names."""
        return self.image

    @property
    def ami_type(self) -> str:
        """The image as EKS' API names it. Machines of unknown architecture are taken for amd64."""
        arm = self.machine.arch == "arm64"
        family = {"al2023": "AL2023", "bottlerocket": "BOTTLEROCKET"}[self.image]
        # The only two families of images do not agree on how to write an architecture.
        return f"{family}_{'ARM_64' if arm else 'x86_64'}_NVIDIA"

    def node_labels(self, pool: str) -> dict[str, str]:
        """Also the one that the cluster autoscaler looks for."""
        gpu = (self.machine.gpu or "gpu").lower()
        return {ACCELERATOR_LABEL: f"nvidia-{gpu}", **super().node_labels(pool)}

    def violations(self) -> Iterator[Violation]:
        """Also what EKS refuses, or takes and does not do."""
        yield from super().violations()
        yield from self._check_placement()
        if isinstance(self.node_role_arn, str) and not re.fullmatch(ROLE_ARN, self.node_role_arn):
            message = f"{self.node_role_arn} is no ARN of an IAM role."
            fix = "Write `arn:aws:iam::`, the account, `:role/` and the role's name."
            yield Violation("EKS-06", "nodeRoleArn", message, fix)
        if isinstance(self.network, Efa) and not self.security_group_ids:
            message = (
                "EFA needs a security group that allows all traffic from and to itself; the cluster's own does not."
            )
            fix = "Name the groups of the nodes, the cluster's own among them, in `securityGroupIds`."
            yield Violation("EKS-01", "securityGroupIds", message, fix)
        release = self.release_version
        if isinstance(release, str) and self.image == "al2023" and not re.fullmatch(RELEASE, release):
            message = f"{release} is no release of the image, which begin with Kubernetes' version."
            yield Violation("EKS-10", "releaseVersion", message, "Write such as `1.33.0-20250801`, or take it out.")
        if not 1 <= self.upgrade.max_unavailable <= 100:
            message = f"EKS takes 1 to 100 nodes that are away at once, not {self.upgrade.max_unavailable}."
            yield Violation("EKS-02", "upgrade.maxUnavailable", message, "Write 1.")
        if self.instance_store and self.image == "bottlerocket":
            message = "Bottlerocket's images leave the machine's own disks alone, whatever a node group says."
            yield Violation("EKS-03", "instanceStore", message, "Take it out, or write `image: al2023`.")
        if len(self.declared_taints) > MAX_TAINTS:
            message = f"a node group takes {MAX_TAINTS} taints, and the pool has {len(self.declared_taints)}."
            yield Violation("EKS-04", "extraTaints", message, "Take some out.")
        if isinstance(self.capacity, CapacityBlock) and self.size.initial:
            message = "a node group that starts with nodes fails until the day that its capacity block begins."
            fix = "Write `min: 0`, and let an autoscaler, or a scheduled action, ask for the nodes."
            yield Violation("EKS-05", "size", message, fix, Severity.WARNING)

    def _check_placement(self) -> Iterator[Violation]:
        yield from check_ids("subnet", "subnetIds", self.subnet_ids)
        if self.security_group_ids:
            yield from check_ids("sg", "securityGroupIds", self.security_group_ids)
        together = {
            "EFA works inside one zone": isinstance(self.network, Efa),
            "a cluster placement group is in one zone": self.compact,
            "a reservation is in one zone": isinstance(self.capacity, Reservation | CapacityBlock),
        }
        reasons = [reason for reason, holds in together.items() if holds]
        if reasons and len(set(self.subnet_ids)) > 1:
            message = f"the pool has {len(set(self.subnet_ids))} subnets, but {' and '.join(reasons)}."
            yield Violation("EKS-07", "subnetIds", message, "Name one subnet, in that zone.")
        if self.compact and self.placement_group is not None:
            message = "`compact` makes a placement group, and `placementGroup` names another: a node is in one."
            yield Violation("EKS-08", "compact", message, "Take one of the two out.")
        elif self.compact and isinstance(self.capacity, Reservation | CapacityBlock):
            message = (
                "a new placement group has no reserved machines in it: some nodes come, the others wait for capacity"
            )
            fix = "Take it out; or name the group that the reservation was made in, as `placementGroup`."
            yield Violation("EKS-09", "compact", f"{message}.", fix)
