"""GPU node pools: machines, labels and taints, and what pods need to be scheduled there."""

from ..validation.extras import missing_extra

try:
    import pulumi  # noqa: F401 - every module below needs it
except ModuleNotFoundError as error:
    raise missing_extra("pulumi", error, __name__) from None

from .aks.pool import AksPool
from .capacity import CapacityBlock, FlexStart, OnDemand, QueuedProvisioning, Reservation, Spot
from .cloud_sdk import MissingSdkError
from .component import GpuNodePool, GpuNodePoolArgs
from .eks.pool import EksPool
from .existing.pool import ExistingPool
from .gke.pool import GkePool
from .interconnect import AdditionalNetwork, Efa, Ethernet, GpuDirect, InfiniBand
from .karpenter.node_class import Ec2NodeClass, ExistingNodeClass
from .karpenter.pool import KarpenterPool
from .machines import Machine
from .simulated.spec import SimulatedPool
from .size import Size
from .spec import GpuNodePoolSpec
from .taint import Taint
from .upgrade import Upgrade

__all__ = [
    "AdditionalNetwork",
    "AksPool",
    "CapacityBlock",
    "Ec2NodeClass",
    "Efa",
    "EksPool",
    "Ethernet",
    "ExistingNodeClass",
    "ExistingPool",
    "FlexStart",
    "GkePool",
    "GpuDirect",
    "GpuNodePool",
    "GpuNodePoolArgs",
    "GpuNodePoolSpec",
    "InfiniBand",
    "KarpenterPool",
    "Machine",
    "MissingSdkError",
    "OnDemand",
    "QueuedProvisioning",
    "Reservation",
    "SimulatedPool",
    "Size",
    "Spot",
    "Taint",
    "Upgrade",
]
