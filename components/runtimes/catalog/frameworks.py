"""The frameworks of the catalogue, each with the function that builds its runtime. A new framework is a module beside
this one and an entry here."""

from collections.abc import Callable, Mapping

from ..runtime import ClusterTrainingRuntime
from .deepspeed import deepspeed
from .flux import flux
from .jax import jax
from .mlx import mlx
from .torch import torch
from .torch_with_cache import torch_with_cache
from .torchtune import torchtune
from .xgboost import xgboost

FACTORIES: Mapping[str, Callable[..., ClusterTrainingRuntime]] = {
    "torch": torch,
    "torch-with-cache": torch_with_cache,
    "torchtune": torchtune,
    "deepspeed": deepspeed,
    "mlx": mlx,
    "jax": jax,
    "xgboost": xgboost,
    "flux": flux,
}
"""The catalogue's functions by the name of their framework."""
