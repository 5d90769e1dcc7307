"""The catalog: every runtime of Kubeflow Trainer as a function.

    deepspeed(nodes=4, gpus_per_node=8, shared_memory="64Gi", env={"NCCL_DEBUG": "INFO"})

Arguments are keyword-only and documented as the fields of the function's options. Contradicting arguments raise
InvalidRuntimeError with all contradictions. `like_upstream=True` returns upstream's own manifest.
"""

from .deepspeed import deepspeed
from .flux import flux
from .frameworks import FACTORIES
from .jax import jax
from .mlx import mlx
from .options import CacheOptions, FluxOptions, MPIOptions, RuntimeOptions, TorchtuneOptions
from .runtime_factory import runtime_of as runtime_of
from .torch import torch
from .torch_with_cache import torch_with_cache
from .torchtune import torchtune
from .volume_claim import VolumeClaim
from .xgboost import xgboost

__all__ = [
    "FACTORIES",
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
