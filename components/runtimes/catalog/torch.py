"""PyTorch with torchrun."""

from ..ml_policy import MLPolicy, TorchPolicy
from ..runtime import ClusterTrainingRuntime
from ..topology import node_only
from .common_spec import build_runtime
from .images import PYTORCH
from .options import RuntimeOptions
from .pod_templates import training_pod
from .runtime_factory import runtime_factory


@runtime_factory(RuntimeOptions)
def torch(options: RuntimeOptions) -> ClusterTrainingRuntime:
    """PyTorch with torchrun, `torch-distributed`. Arguments are the fields of `RuntimeOptions`."""
    policy = MLPolicy(num_nodes=options.node_count, torch=TorchPolicy())
    spec = node_only(policy, training_pod(options, PYTORCH))
    return build_runtime(options, spec, name="torch-distributed", framework="torch")
