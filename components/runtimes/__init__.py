"""Training runtimes of Kubeflow Trainer as typed objects, checked before anything is deployed.

- `deepspeed`, `mlx`, `torch`, `jax`, `xgboost`, `flux`, `torchtune`, `torch_with_cache`: ready-made runtimes.
- `ClusterTrainingRuntime`, `TrainingRuntime`: any runtime, from Python or `from_manifest`; back by `to_manifest`.
- `with_pod`, `with_container`, `bind_to_pool`: changed copies of a runtime; on the nodes of a pool, for example.
- `load_runtimes`: runtimes from YAML files. On a command line: `python -m <this package> check FILE...`
- `InvalidRuntimeError`: raised with all `violations` of a runtime that can't work.

The parts of a runtime are models of the same shape as the API, one module a subject: `policies`, `jobset`, `jobs`,
`pods`, `containers`, `env`, `probes`, `volumes`, `claims`, `scheduling`, `security`, `metadata`. What the API calls
`numNodes` is `num_nodes` in Python. Importing this loads pydantic and nothing else.
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
