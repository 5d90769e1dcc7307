"""The keys of an EKS pool."""

from typing import ClassVar, Literal

from pydantic import Field

from ...validation.model import FrozenList
from ..aws.images import ImageFamily
from ..aws.spec import AwsSpec
from ..input_text import InputText
from ..reserved_labels import KUBERNETES_DOMAINS
from ..upgrade import Upgrade

ACCELERATOR_LABEL = "k8s.amazonaws.com/accelerator"
"""Label by which the cluster autoscaler waits until a new node has registered its GPUs. Any value is valid. Source:
kubernetes/autoscaler, cloudprovider/aws README."""


class EksSpec(AwsSpec):
    """The keys of an EKS pool, and values derived from them."""

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
