"""Runtimes of nodes alone: PyTorch, JAX, XGBoost, Flux."""

from ..api import ClusterTrainingRuntime
from ..env import EnvVar
from ..policies import FluxPolicy, JAXPolicy, MLPolicy, TorchPolicy, XGBoostPolicy
from ..topology import node_only
from .assembly import assembled
from .entry import entry
from .images import FLUX, FLUX_VIEW, JAX, PYTORCH, mirrored, trainer_image
from .options import FluxOptions, RuntimeOptions
from .pods import training_pod

FLUX_VIEW_IMAGE = "FLUX_VIEW_IMAGE"
"""Environment variable of container `node` that names the image of Trainer's init container `flux-installer`
(pkg/runtime/framework/plugins/flux/flux.go, Trainer 2.3.0)."""


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


@entry(FluxOptions)
def flux(options: FluxOptions) -> ClusterTrainingRuntime:
    """Flux, which runs MPI programs without ssh, `flux-distributed`. Arguments are the fields of `FluxOptions`.

    Every TrainJob must set `trainer.numNodes`: without it the controller of Trainer 2.3.0 panics at each try, and makes
    no JobSet (seen; pkg/runtime/framework/plugins/flux/flux.go).
    """
    policy = MLPolicy(num_nodes=options.node_count, flux=FluxPolicy(num_proc_per_node=options.processes_per_node))
    view = mirrored(options.view_image or FLUX_VIEW, None if options.view_image else options.registry)
    env = () if view == FLUX_VIEW and options.like_upstream else (EnvVar(name=FLUX_VIEW_IMAGE, value=view),)
    spec = node_only(policy, training_pod(options, FLUX, env=env))
    unchecked = {"trainer.kubeflow.org/webhook-validation": "disabled"} if options.like_upstream else None
    return assembled(options, spec, name="flux-distributed", framework="flux", labels=unchecked)
