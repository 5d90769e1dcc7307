"""The node class of Karpenter's nodes in EC2: an existing one, or one that this pool creates."""

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
"""Tags that a node class cannot set, beside those of `kubernetes.io/cluster`. Source: its CRD, karpenter 1.12."""


class ExistingNodeClass(StrictModel):
    """An EC2NodeClass that someone else created. It determines image, disk, network and reservation of the nodes. If
    its image includes NVIDIA's device plugin, as Bottlerocket does, set `driver: none`."""

    kind: Literal["existing"]

    name: DnsSubdomain
    """Name of the EC2NodeClass."""


class Ec2NodeClass(StrictModel):
    """An EC2NodeClass (`karpenter.k8s.aws/v1`) that this pool creates, with the pool's name."""

    kind: Literal["ec2"]

    role: InputText
    """Name (not ARN) of the nodes' IAM role."""

    subnet_ids: FrozenList[InputText]
    """Subnets of the nodes, `subnet-...`. They must be private with EFA: EC2 assigns no public address to machines with
    several interfaces."""

    security_group_ids: FrozenList[InputText]
    """Security groups of the nodes, `sg-...`. For EFA, one of them must allow all traffic from and to itself."""

    image: str
    """EKS' image by family and release: `al2023@v20250801`, `bottlerocket@v1.44.0`."""

    instance_store: Literal["raid0"] | None = None
    """`raid0`: the machine's own NVMe disks store images and scratch space. Default: they are not used."""

    placement_group: InputText | None = None
    """Name or id of an existing cluster placement group (Karpenter 1.11 and newer). Default: none."""

    tags: dict[str, str] = Field(default_factory=dict)
    """Additional tags of the machines. Default: none."""

    @property
    def image_family(self) -> ImageFamily:
        """Family of the image."""
        return "bottlerocket" if self.image.startswith("bottlerocket@") else "al2023"

    def violations(self) -> Iterator[Violation]:
        """Yield violations for settings that Karpenter rejects, or that take effect at an unexpected time."""
        if isinstance(self.role, str) and self.role.startswith("arn:"):
            name = self.role.rpartition("/")[2]
            message = f"Karpenter expects the name of a role, but {self.role} is an ARN."
            yield Violation("KRP-01", "nodeClass.role", message, f"Write {name}.")
        yield from check_ids("subnet", "nodeClass.subnetIds", self.subnet_ids)
        yield from check_ids("sg", "nodeClass.securityGroupIds", self.security_group_ids)
        for key in self.tags:
            if key in RESERVED_TAGS or key.startswith("kubernetes.io/cluster"):
                message = f"Tag {key} is reserved for Karpenter."
                yield Violation("KRP-07", f"nodeClass.tags[{key}]", message, "Remove it.")
        if not re.fullmatch("(al2023|bottlerocket)@.+", self.image):
            message = f"{self.image} is not a known image."
            fix = (
                "Use `al2023@` or `bottlerocket@` and a release, such as `al2023@v20250801`, or an `existing` "
                "node class."
            )
            yield Violation("KRP-08", "nodeClass.image", message, fix)
        if self.image.endswith(f"@{LATEST}"):
            message = "Without a release, every new image makes all nodes of the pool outdated."
            fix = "Set a release, and change it deliberately."
            yield Violation("KRP-02", "nodeClass.image", message, fix, Severity.WARNING)
