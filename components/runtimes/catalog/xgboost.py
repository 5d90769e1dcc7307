"""XGBoost, one worker per GPU or, without GPUs, per node."""

from ..ml_policy import MLPolicy, XGBoostPolicy
from ..runtime import ClusterTrainingRuntime
from ..topology import node_only
from .common_spec import build_runtime
from .images import trainer_image
from .options import RuntimeOptions
from .pod_templates import training_pod
from .runtime_factory import runtime_factory


@runtime_factory(RuntimeOptions)
def xgboost(options: RuntimeOptions) -> ClusterTrainingRuntime:
    """XGBoost, one worker a GPU or else a node, `xgboost-distributed`. Arguments are the fields of `RuntimeOptions`."""
    policy = MLPolicy(num_nodes=options.node_count, xgboost=XGBoostPolicy())
    spec = node_only(policy, training_pod(options, trainer_image("xgboost-runtime")))
    return build_runtime(options, spec, name="xgboost-distributed", framework="xgboost")
