"""The keys of a Karpenter pool."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from ...validation.model import FrozenList
from ...validation.one_of import OneOf
from ..aws.images import ImageFamily
from ..aws.spec import AwsSpec
from ..taint import Taint
from .node_class import Ec2NodeClass, ExistingNodeClass


class KarpenterSpec(AwsSpec):
    """The keys of a Karpenter pool, and values derived from them."""

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
