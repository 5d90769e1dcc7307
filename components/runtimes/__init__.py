"""Training runtimes of Kubeflow Trainer as typed objects, checked before anything is deployed.

- `deepspeed`, `mlx`, `torch`, `jax`, `xgboost`, `flux`, `torchtune`, `torch_with_cache`: ready-made runtimes.
- `ClusterTrainingRuntime`, `TrainingRuntime`: any runtime, built in Python or by `from_manifest`; `to_manifest`
converts
  it back.
- `with_pod`, `with_container`, `bind_to_pool`: changed copies of a runtime, such as one bound to the nodes of a pool.
- `load_runtimes`: runtimes from YAML files. On the command line: `python -m <this package> check FILE...`
- `InvalidRuntimeError`: raised with all `violations` of a runtime that cannot work.

The parts of a runtime are models with the structure of the API, in `components.k8s` and in `jobset` and `ml_policy`
here. The API's `numNodes` is `num_nodes` in Python. Importing this package loads pydantic only.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..k8s.invalid import InvalidRuntimeError as InvalidRuntimeError
    from .api import TrainingRuntimeSpec as TrainingRuntimeSpec
    from .bind import bind_to_pool as bind_to_pool
    from .catalog import VolumeClaim as VolumeClaim
    from .catalog.deepspeed import deepspeed as deepspeed
    from .catalog.flux import flux as flux
    from .catalog.jax import jax as jax
    from .catalog.mlx import mlx as mlx
    from .catalog.torch import torch as torch
    from .catalog.torch_with_cache import torch_with_cache as torch_with_cache
    from .catalog.torchtune import torchtune as torchtune
    from .catalog.xgboost import xgboost as xgboost
    from .editing import with_container as with_container
    from .editing import with_pod as with_pod
    from .loader import load_runtimes as load_runtimes
    from .placement import Placement as Placement
    from .runtime import ClusterTrainingRuntime as ClusterTrainingRuntime
    from .runtime import TrainingRuntime as TrainingRuntime

_MODULES = {
    "ClusterTrainingRuntime": ".runtime",
    "InvalidRuntimeError": "..k8s.invalid",
    "Placement": ".placement",
    "TrainingRuntime": ".runtime",
    "TrainingRuntimeSpec": ".api",
    "VolumeClaim": ".catalog",
    "bind_to_pool": ".bind",
    "deepspeed": ".catalog",
    "flux": ".catalog",
    "jax": ".catalog",
    "load_runtimes": ".loader",
    "mlx": ".catalog",
    "torch": ".catalog",
    "torch_with_cache": ".catalog",
    "torchtune": ".catalog",
    "with_container": ".editing",
    "with_pod": ".editing",
    "xgboost": ".catalog",
}
"""Where each public name is. Nothing is imported before it is used."""

__all__ = [
    "ClusterTrainingRuntime",
    "InvalidRuntimeError",
    "Placement",
    "TrainingRuntime",
    "TrainingRuntimeSpec",
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
