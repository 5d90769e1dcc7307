"""JAX, one process per node."""

from ..ml_policy import JAXPolicy, MLPolicy
from ..runtime import ClusterTrainingRuntime
from ..topology import node_only
from .common_spec import build_runtime
from .images import JAX
from .options import RuntimeOptions
from .pod_templates import training_pod
from .runtime_factory import runtime_factory


@runtime_factory(RuntimeOptions)
def jax(options: RuntimeOptions) -> ClusterTrainingRuntime:
    """JAX, one process a node, `jax-distributed`. Arguments are the fields of `RuntimeOptions`."""
    policy = MLPolicy(num_nodes=options.node_count, jax=JAXPolicy())
    spec = node_only(policy, training_pod(options, JAX))
    return build_runtime(options, spec, name="jax-distributed", framework="jax")
