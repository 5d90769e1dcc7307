"""What Karpenter's nodes in EC2 are launched with: a node class that is there already, or one that this pool makes."""

import re
from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from ...k8s.names import DnsSubdomain
from ...validation.model import FrozenList, StrictModel
from ...validation.violation import Severity, Violation
from ..aws.ids import check_ids
from ..aws.images import ImageFamily
from ..input_text import InputText

LATEST = "latest"

RESERVED_TAGS = (
    "eks:eks-cluster-name",
    "karpenter.sh/nodepool",
    "karpenter.sh/nodeclaim",
    "karpenter.k8s.aws/ec2nodeclass",
)
"""Tags that a node class may not have, nor those of `kubernetes.io/cluster`. Source: its CRD, karpenter 1.12."""


class ExistingNodeClass(StrictModel):
    """An EC2NodeClass that someone else made. Image, disk, network and reservation of the nodes are as it says. Where
    its image brings NVIDIA's device plugin, as Bottlerocket does, write `driver: none`."""

    kind: Literal["existing"]

    name: DnsSubdomain
    """Its name."""


class Ec2NodeClass(StrictModel):
    """An EC2NodeClass (`karpenter.k8s.aws/v1`) that this pool makes, named like the pool."""

    kind: Literal["ec2"]

    role: InputText
    """Name of the nodes' IAM role; its name, not its ARN."""

    subnet_ids: FrozenList[InputText]
    """Subnets that nodes may be in, `subnet-...`. Private ones: EC2 gives no public address to several interfaces."""

    security_group_ids: FrozenList[InputText]
    """Security groups of the nodes, `sg-...`. For EFA one of them must allow all traffic from and to itself, in both
    directions."""

    image: str
    """EKS' image by family and release: `al2023@v20250801`, `bottlerocket@v1.44.0`."""

    instance_store: Literal["raid0"] | None = None
    """`raid0`: the machine's own NVMe disks hold images and scratch space. Default: they are left alone."""

    placement_group: InputText | None = None
    """Name or id of a cluster placement group that is there already (Karpenter 1.11 and newer). Default: none."""

    tags: dict[str, str] = Field(default_factory=dict)
    """Further tags of the machines. Default: none."""

    @property
    def image_family(self) -> ImageFamily:
        """Family of the image."""
        return "bottlerocket" if self.image.startswith("bottlerocket@") else "al2023"

    def violations(self) -> Iterator[Violation]:
        """What Karpenter would refuse, or do at a bad time."""
        if isinstance(self.role, str) and self.role.startswith("arn:"):
            name = self.role.rpartition("/")[2]
            message = f"Karpenter takes the name of a role, and {self.role} is an ARN."
            yield Violation("KRP-01", "nodeClass.role", message, f"Write {name}.")
        yield from check_ids("subnet", "nodeClass.subnetIds", self.subnet_ids)
        yield from check_ids("sg", "nodeClass.securityGroupIds", self.security_group_ids)
        for key in self.tags:
            if key in RESERVED_TAGS or key.startswith("kubernetes.io/cluster"):
                message = f"the tag {key} is Karpenter's to set."
                yield Violation("KRP-07", f"nodeClass.tags[{key}]", message, "Take it out.")
        if not re.fullmatch("(al2023|bottlerocket)@.+", self.image):
            message = f"{self.image} is no image that is known here."
            fix = "Write `al2023@` or `bottlerocket@` and a release, `al2023@v20250801`; or name an `existing` class."
            yield Violation("KRP-08", "nodeClass.image", message, fix)
        if self.image.endswith(f"@{LATEST}"):
            message = "with each release of the image all nodes of the pool are out of date."
            fix = "Name a release, and change it when you want to."
            yield Violation("KRP-02", "nodeClass.image", message, fix, Severity.WARNING)
