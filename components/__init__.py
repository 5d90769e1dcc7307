"""Components that stand up distributed training on Kubernetes.

Names are imported when they are first used, so that `components.runtimes` works without Pulumi:

- `components.platform`: `TrainingPlatform`, all layers of a platform on one cluster.
- `components.runtimes`: training runtimes as typed objects, checked before anything is deployed.
- `components.gpu_node_pool`: `GpuNodePool`, the machines, their labels and taints, and what pods need to land there.
- `components.jobset`: `JobSet`, the operator that runs groups of Jobs.
- `components.kubeflow_trainer`: `KubeflowTrainer`, the operator that turns TrainJobs into JobSets.
- `components.training_gate`: `TrainingGate`, open when TrainJobs are admitted, in the way of a destroy that stops them.
- `components.training_runtimes`: `TrainingRuntimes`, runtimes as cluster resources.
- `components.training_validation`: `ValidationSpec`, a small TrainJob for each runtime at the end of an `up`.
- `components.cluster.context`, `components.cluster.client`: whose all of it is, and how hooks ask the cluster.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .cluster.client import ClusterClient as ClusterClient
    from .cluster.context import StackContext as StackContext
    from .gpu_node_pool import AksPool as AksPool
    from .gpu_node_pool import EksPool as EksPool
    from .gpu_node_pool import ExistingPool as ExistingPool
    from .gpu_node_pool import GkePool as GkePool
    from .gpu_node_pool import GpuNodePool as GpuNodePool
    from .gpu_node_pool import KarpenterPool as KarpenterPool
    from .gpu_node_pool import SimulatedPool as SimulatedPool
    from .jobset import ExternalJobSet as ExternalJobSet
    from .jobset import JobSet as JobSet
    from .jobset import JobSetOperatorSpec as JobSetOperatorSpec
    from .kubeflow_trainer import ExternalTrainer as ExternalTrainer
    from .kubeflow_trainer import KubeflowTrainer as KubeflowTrainer
    from .kubeflow_trainer import KubeflowTrainerSpec as KubeflowTrainerSpec
    from .platform import InvalidPlatformError as InvalidPlatformError
    from .platform import TrainingPlatform as TrainingPlatform
    from .platform import TrainingPlatformArgs as TrainingPlatformArgs
    from .runtimes import ClusterTrainingRuntime as ClusterTrainingRuntime
    from .runtimes import InvalidRuntimeError as InvalidRuntimeError
    from .runtimes import Placement as Placement
    from .runtimes import TrainingRuntime as TrainingRuntime
    from .runtimes import TrainingRuntimeSpec as TrainingRuntimeSpec
    from .runtimes import VolumeClaim as VolumeClaim
    from .runtimes import bind_to_pool as bind_to_pool
    from .runtimes import deepspeed as deepspeed
    from .runtimes import flux as flux
    from .runtimes import jax as jax
    from .runtimes import load_runtimes as load_runtimes
    from .runtimes import mlx as mlx
    from .runtimes import torch as torch
    from .runtimes import torch_with_cache as torch_with_cache
    from .runtimes import torchtune as torchtune
    from .runtimes import with_container as with_container
    from .runtimes import with_pod as with_pod
    from .runtimes import xgboost as xgboost
    from .training_gate import TrainingGate as TrainingGate
    from .training_runtimes import TrainingRuntimes as TrainingRuntimes
    from .training_validation.spec import ValidationSpec as ValidationSpec
    from .validation.invalid import InvalidSpecError as InvalidSpecError

_MODULES = {
    "AksPool": ".gpu_node_pool",
    "ClusterClient": ".cluster.client",
    "ClusterTrainingRuntime": ".runtimes",
    "EksPool": ".gpu_node_pool",
    "ExistingPool": ".gpu_node_pool",
    "ExternalJobSet": ".jobset",
    "ExternalTrainer": ".kubeflow_trainer",
    "GkePool": ".gpu_node_pool",
    "GpuNodePool": ".gpu_node_pool",
    "InvalidPlatformError": ".platform",
    "InvalidRuntimeError": ".runtimes",
    "InvalidSpecError": ".validation.invalid",
    "JobSet": ".jobset",
    "JobSetOperatorSpec": ".jobset",
    "KarpenterPool": ".gpu_node_pool",
    "KubeflowTrainer": ".kubeflow_trainer",
    "KubeflowTrainerSpec": ".kubeflow_trainer",
    "Placement": ".runtimes",
    "SimulatedPool": ".gpu_node_pool",
    "StackContext": ".cluster.context",
    "TrainingGate": ".training_gate",
    "TrainingPlatform": ".platform",
    "TrainingPlatformArgs": ".platform",
    "TrainingRuntime": ".runtimes",
    "TrainingRuntimeSpec": ".runtimes",
    "TrainingRuntimes": ".training_runtimes",
    "ValidationSpec": ".training_validation.spec",
    "VolumeClaim": ".runtimes",
    "bind_to_pool": ".runtimes",
    "deepspeed": ".runtimes",
    "flux": ".runtimes",
    "jax": ".runtimes",
    "load_runtimes": ".runtimes",
    "mlx": ".runtimes",
    "torch": ".runtimes",
    "torch_with_cache": ".runtimes",
    "torchtune": ".runtimes",
    "with_container": ".runtimes",
    "with_pod": ".runtimes",
    "xgboost": ".runtimes",
}

__all__ = [
    "AksPool",
    "ClusterClient",
    "ClusterTrainingRuntime",
    "EksPool",
    "ExistingPool",
    "ExternalJobSet",
    "ExternalTrainer",
    "GkePool",
    "GpuNodePool",
    "InvalidPlatformError",
    "InvalidRuntimeError",
    "InvalidSpecError",
    "JobSet",
    "JobSetOperatorSpec",
    "KarpenterPool",
    "KubeflowTrainer",
    "KubeflowTrainerSpec",
    "Placement",
    "SimulatedPool",
    "StackContext",
    "TrainingGate",
    "TrainingPlatform",
    "TrainingPlatformArgs",
    "TrainingRuntime",
    "TrainingRuntimeSpec",
    "TrainingRuntimes",
    "ValidationSpec",
    "VolumeClaim",
    "bind_to_pool",
    "deepspeed",
    "flux",
    "jax",
    "load_runtimes",
    "mlx",
    "torch",
    "torch_with_cache",
    "torchtune",
    "with_container",
    "with_pod",
    "xgboost",
]


def __getattr__(name: str) -> Any:
    """The public names, each from its module (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name], __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
