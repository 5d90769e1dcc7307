"""A GPU node pool of EKS: the spec."""

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
"""Label by which the cluster autoscaler waits until a new node has registered its GPUs. Any value is valid. Source:
kubernetes/autoscaler, cloudprovider/aws README."""

ROLE_ARN = r"arn:aws[\w-]*:iam::\d{12}:role/\S+"

RELEASE = r"\d+\.\d+(\.\d+)?-\d{8}"
"""Release of Amazon Linux: Kubernetes' version and a date."""

MAX_TAINTS = 50
"""Maximum number of taints of a node group. Source: EKS API, CreateNodegroup."""


class EksPool(AwsPool):
    """A managed node group of EKS with its own launch template, in an existing cluster."""

    reserved_domains: ClassVar[tuple[str, ...]] = (*KUBERNETES_DOMAINS, "eks.amazonaws.com")

    provider: Literal["eks"]

    cluster: InputText
    """Name of the EKS cluster."""

    node_role_arn: InputText
    """ARN of the nodes' IAM role. Before the pool is created it needs the policies AmazonEKSWorkerNodePolicy,
    AmazonEC2ContainerRegistryReadOnly (or PullOnly) and that of the VPC CNI."""

    subnet_ids: FrozenList[InputText]
    """Subnets of the nodes, `subnet-...`. Exactly one if all nodes must be in one zone."""

    security_group_ids: FrozenList[InputText] = ()
    """Security groups of the nodes, `sg-...`. Default: the cluster's own, which EKS uses if a launch template sets
    none. Required with EFA; one of them must allow all traffic from and to itself."""

    image: ImageFamily = "al2023"
    """Family of EKS' GPU image. Default: Amazon Linux 2023."""

    release_version: InputText | None = None
    """Release of the image, `1.33.0-20250801`. Default: the latest when the pool is created, which is kept
    afterwards."""

    instance_store: Literal["raid0"] | None = None
    """`raid0`: the machine's own NVMe disks store images and scratch space. Default: they are not used."""

    compact: bool = False
    """Place the nodes close to each other, in a cluster placement group that this pool creates. Default: false."""

    placement_group: InputText | None = None
    """Name or id of an existing placement group, such as that of a reservation. Default: none."""

    upgrade: Upgrade = Field(default_factory=Upgrade)
    """How nodes are upgraded. `maxSurge` 0 (default): old nodes are deleted before new ones are created; otherwise EKS
    chooses the number of spare nodes itself."""

    repair: bool = True
    """Let EKS replace nodes that it finds unhealthy, GPUs included. Default: true."""

    @property
    def image_family(self) -> ImageFamily:
        """The family in the spec."""
        return self.image

    @property
    def ami_type(self) -> str:
        """The image in EKS' API. Machines of unknown architecture are assumed to be amd64."""
        arm = self.machine.arch == "arm64"
        family = {"al2023": "AL2023", "bottlerocket": "BOTTLEROCKET"}[self.image]
        # The two families of images name architectures differently.
        return f"{family}_{'ARM_64' if arm else 'x86_64'}_NVIDIA"

    def node_labels(self, pool: str) -> dict[str, str]:
        """Adds the label for the cluster autoscaler."""
        gpu = (self.machine.gpu or "gpu").lower()
        return {ACCELERATOR_LABEL: f"nvidia-{gpu}", **super().node_labels(pool)}

    def violations(self) -> Iterator[Violation]:
        """Adds the checks of EKS: settings that it rejects, or accepts without an effect."""
        yield from super().violations()
        yield from self._check_placement()
        if isinstance(self.node_role_arn, str) and not re.fullmatch(ROLE_ARN, self.node_role_arn):
            message = f"{self.node_role_arn} is not the ARN of an IAM role."
            fix = "Use `arn:aws:iam::<account>:role/<name>`."
            yield Violation("EKS-06", "nodeRoleArn", message, fix)
        if isinstance(self.network, Efa) and not self.security_group_ids:
            message = (
                "EFA needs a security group that allows all traffic from and to itself, which the cluster's own "
                "does not."
            )
            fix = "Set `securityGroupIds`, including the cluster's own group."
            yield Violation("EKS-01", "securityGroupIds", message, fix)
        release = self.release_version
        if isinstance(release, str) and self.image == "al2023" and not re.fullmatch(RELEASE, release):
            message = f"{release} is not a release of the image: it must begin with Kubernetes' version."
            yield Violation(
                "EKS-10", "releaseVersion", message, "Use a release such as `1.33.0-20250801`, or remove it."
            )
        if not 1 <= self.upgrade.max_unavailable <= 100:
            message = f"maxUnavailable is {self.upgrade.max_unavailable}, but EKS allows 1 to 100."
            yield Violation("EKS-02", "upgrade.maxUnavailable", message, "Write 1.")
        if self.instance_store and self.image == "bottlerocket":
            message = "Bottlerocket's images ignore this setting and do not use the machine's own disks."
            yield Violation("EKS-03", "instanceStore", message, "Remove it, or set `image: al2023`.")
        if len(self.declared_taints) > MAX_TAINTS:
            message = f"The pool has {len(self.declared_taints)} taints; the maximum of a node group is {MAX_TAINTS}."
            yield Violation("EKS-04", "extraTaints", message, "Remove some.")
        if isinstance(self.capacity, CapacityBlock) and self.size.initial:
            message = "A node group with initial nodes fails until its capacity block begins."
            fix = "Set `min: 0`, and let an autoscaler or a scheduled action add the nodes."
            yield Violation("EKS-05", "size", message, fix, Severity.WARNING)

    def _check_placement(self) -> Iterator[Violation]:
        yield from check_ids("subnet", "subnetIds", self.subnet_ids)
        if self.security_group_ids:
            yield from check_ids("sg", "securityGroupIds", self.security_group_ids)
        together = {
            "EFA works within one zone": isinstance(self.network, Efa),
            "a cluster placement group is in one zone": self.compact,
            "a reservation is in one zone": isinstance(self.capacity, Reservation | CapacityBlock),
        }
        reasons = [reason for reason, holds in together.items() if holds]
        if reasons and len(set(self.subnet_ids)) > 1:
            message = f"The pool has {len(set(self.subnet_ids))} subnets, but {' and '.join(reasons)}."
            yield Violation("EKS-07", "subnetIds", message, "Set one subnet, in that zone.")
        if self.compact and self.placement_group is not None:
            message = (
                "`compact` creates a placement group, and `placementGroup` sets another: a node can only be in one."
            )
            yield Violation("EKS-08", "compact", message, "Remove one of them.")
        elif self.compact and isinstance(self.capacity, Reservation | CapacityBlock):
            message = "A new placement group has no reserved machines: some nodes start, and others wait for capacity"
            fix = "Remove it, or set `placementGroup` to the reservation's group."
            yield Violation("EKS-09", "compact", f"{message}.", fix)
