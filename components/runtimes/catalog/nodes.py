"""Runtimes of nodes alone: PyTorch, JAX, XGBoost."""

from ..api import ClusterTrainingRuntime
from ..policies import JAXPolicy, MLPolicy, TorchPolicy, XGBoostPolicy
from ..topology import node_only
from .assembly import assembled
from .entry import entry
from .images import JAX, PYTORCH, trainer_image
from .options import RuntimeOptions
from .pods import training_pod


@entry(RuntimeOptions)
def torch(options: RuntimeOptions) -> ClusterTrainingRuntime:
    """PyTorch with torchrun, `torch-distributed`. Arguments are the fields of `RuntimeOptions`."""
    policy = MLPolicy(num_nodes=options.node_count, torch=TorchPolicy())
    spec = node_only(policy, training_pod(options, PYTORCH))
    return assembled(options, spec, name="torch-distributed", framework="torch")


@entry(RuntimeOptions)
def jax(options: RuntimeOptions) -> ClusterTrainingRuntime:
    """JAX, one process a node, `jax-distributed`. Arguments are the fields of `RuntimeOptions`."""
    policy = MLPolicy(num_nodes=options.node_count, jax=JAXPolicy())
    spec = node_only(policy, training_pod(options, JAX))
    return assembled(options, spec, name="jax-distributed", framework="jax")


@entry(RuntimeOptions)
def xgboost(options: RuntimeOptions) -> ClusterTrainingRuntime:
    """XGBoost, one worker a GPU or else a node, `xgboost-distributed`. Arguments are the fields of `RuntimeOptions`."""
    policy = MLPolicy(num_nodes=options.node_count, xgboost=XGBoostPolicy())
    spec = node_only(policy, training_pod(options, trainer_image("xgboost-runtime")))
    return assembled(options, spec, name="xgboost-distributed", framework="xgboost")
