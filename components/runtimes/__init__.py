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

from ..k8s.invalid import InvalidRuntimeError
from .api import TrainingRuntimeSpec
from .bind import bind_to_pool
from .catalog import VolumeClaim, deepspeed, flux, jax, mlx, torch, torch_with_cache, torchtune, xgboost
from .editing import with_container, with_pod
from .loader import load_runtimes
from .placement import Placement
from .runtime import ClusterTrainingRuntime, TrainingRuntime

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
