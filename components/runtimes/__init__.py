"""Training runtimes of Kubeflow Trainer as typed objects, checked before anything is deployed.

- `deepspeed`, `mlx`, `torch`, `jax`, `xgboost`, `torchtune`, `torch_with_cache`: runtimes that work, ready made.
- `ClusterTrainingRuntime`, `TrainingRuntime`: any runtime, from Python or `from_manifest`; back by `to_manifest`.
- `load_runtimes`: runtimes from YAML files. On a command line: `python -m <this package> check FILE...`
- `InvalidRuntime`: raised with all `violations` of a runtime that can't work.

The parts of a runtime are models of the same shape as the API, one module a subject: `policies`, `jobset`, `jobs`,
`pods`, `containers`, `env`, `probes`, `volumes`, `claims`, `scheduling`, `security`, `metadata`. What the API calls
`numNodes` is `num_nodes` in Python. Importing this loads pydantic and nothing else.
"""

from .api import ClusterTrainingRuntime, TrainingRuntime, TrainingRuntimeSpec
from .catalog import deepspeed, jax, mlx, torch, torch_with_cache, torchtune, xgboost
from .invalid import InvalidRuntime
from .manifests import load_runtimes

__all__ = [
    "ClusterTrainingRuntime",
    "InvalidRuntime",
    "TrainingRuntime",
    "TrainingRuntimeSpec",
    "deepspeed",
    "jax",
    "load_runtimes",
    "mlx",
    "torch",
    "torch_with_cache",
    "torchtune",
    "xgboost",
]
