"""The spec of a GPU node pool: one model per provider, selected by `provider`."""

from .aks.spec import AksPool
from .eks.spec import EksPool
from .existing.spec import ExistingPool
from .gke.spec import GkePool
from .karpenter.spec import KarpenterPool
from .simulated.spec import SimulatedPool

GpuNodePoolSpec = GkePool | EksPool | AksPool | KarpenterPool | SimulatedPool | ExistingPool
"""The specs of all providers. `provider` selects one."""
