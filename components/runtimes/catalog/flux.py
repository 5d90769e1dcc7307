"""Flux, which runs MPI programs without SSH."""

from ...k8s.env import EnvVar
from ..ml_policy import FluxPolicy, MLPolicy
from ..runtime import ClusterTrainingRuntime
from ..topology import node_only
from .common_spec import build_runtime
from .images import FLUX, FLUX_VIEW, FLUX_VIEW_IMAGE, through_mirror
from .options import FluxOptions
from .pod_templates import training_pod
from .runtime_factory import runtime_factory


@runtime_factory(FluxOptions)
def flux(options: FluxOptions) -> ClusterTrainingRuntime:
    """Flux, which runs MPI programs without SSH, `flux-distributed`. Arguments are the fields of `FluxOptions`.

    Every TrainJob must set `trainer.numNodes`: without it the controller of Trainer 2.3.0 panics at each attempt and
    creates no JobSet (seen; pkg/runtime/framework/plugins/flux/flux.go).
    """
    policy = MLPolicy(num_nodes=options.node_count, flux=FluxPolicy(num_proc_per_node=options.processes_per_node))
    view = through_mirror(options.view_image or FLUX_VIEW, None if options.view_image else options.registry)
    env = () if view == FLUX_VIEW and options.like_upstream else (EnvVar(name=FLUX_VIEW_IMAGE, value=view),)
    spec = node_only(policy, training_pod(options, FLUX, env=env))
    unchecked = {"trainer.kubeflow.org/webhook-validation": "disabled"} if options.like_upstream else None
    return build_runtime(options, spec, name="flux-distributed", framework="flux", labels=unchecked)
