"""The catalogue: every runtime of Kubeflow Trainer as a function of what people set.

    deepspeed(nodes=4, gpus_per_node=8, shared_memory="64Gi", env={"NCCL_DEBUG": "INFO"})

Arguments are keyword-only, and documented as the fields of the function's options. What contradicts itself raises
InvalidRuntime with every contradiction at once. `like_upstream=True` gives upstream's own manifest.
"""

from .initialized import torch_with_cache, torchtune
from .mpi import deepspeed, mlx
from .nodes import flux, jax, torch, xgboost
from .options import CacheOptions, FluxOptions, MPIOptions, RuntimeOptions, TorchtuneOptions
from .volume_claim import VolumeClaim

__all__ = [
    "CacheOptions",
    "FluxOptions",
    "MPIOptions",
    "RuntimeOptions",
    "TorchtuneOptions",
    "VolumeClaim",
    "deepspeed",
    "flux",
    "jax",
    "mlx",
    "torch",
    "torch_with_cache",
    "torchtune",
    "xgboost",
]
