"""GPU node pools: machines, labels and taints, and what pods need to be scheduled there."""

from ..validation.extras import missing_extra

try:
    import pulumi  # noqa: F401 - every module below needs it
except ModuleNotFoundError as error:
    raise missing_extra("pulumi", error, __name__) from None

from .aks.spec import AksPool
from .cloud_sdk import MissingSdkError
from .component import GpuNodePool, GpuNodePoolArgs
from .eks.spec import EksPool
from .existing.spec import ExistingPool
from .gke.spec import GkePool
from .karpenter.spec import KarpenterPool
from .simulated.spec import SimulatedPool
from .spec import GpuNodePoolSpec

__all__ = [
    "AksPool",
    "EksPool",
    "ExistingPool",
    "GkePool",
    "GpuNodePool",
    "GpuNodePoolArgs",
    "GpuNodePoolSpec",
    "KarpenterPool",
    "MissingSdkError",
    "SimulatedPool",
]
