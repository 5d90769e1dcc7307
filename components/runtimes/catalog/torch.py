"""PyTorch with torchrun."""

from ..ml_policy import MLPolicy, TorchPolicy
from ..runtime import ClusterTrainingRuntime
from ..topology import node_only
from .build import assembled
from .images import PYTORCH
from .options import RuntimeOptions
from .pod_templates import training_pod
from .runtime_factory import entry


@entry(RuntimeOptions)
def torch(options: RuntimeOptions) -> ClusterTrainingRuntime:
    """PyTorch with torchrun, `torch-distributed`. Arguments are the fields of `RuntimeOptions`."""
    policy = MLPolicy(num_nodes=options.node_count, torch=TorchPolicy())
    spec = node_only(policy, training_pod(options, PYTORCH))
    return assembled(options, spec, name="torch-distributed", framework="torch")
