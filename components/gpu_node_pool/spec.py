"""The spec of a GPU node pool: one model per provider, selected by `provider`."""

from .aks.pool import AksPool
from .eks.pool import EksPool
from .existing.pool import ExistingPool
from .gke.pool import GkePool
from .karpenter.pool import KarpenterPool
from .simulated.spec import SimulatedPool

GpuNodePoolSpec = GkePool | EksPool | AksPool | KarpenterPool | SimulatedPool | ExistingPool
"""The specs of all providers. `provider` selects one."""
