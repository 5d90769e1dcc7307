"""XGBoost: the tracker's address.

Source: plugins/xgboost/xgboost.go (v2.2.0, v2.3.0).
"""

from ...topology import NODE
from ..node_resources import gpus_of, node_resources
from ..reconciliation import PORT, Reconciliation, index_variable, set_port, variable
from .plain import take_node_count

ORIGIN = "Trainer (xgboost)"


def enforce(work: Reconciliation) -> None:
    """Sets DMLC_* in the container that trains, if the TrainJob has `trainer`."""
    if work.policy_of("xgboost") is None or work.trainer_set is None:
        return
    take_node_count(work)
    container = work.trainer_container
    if work.trainer is None or container is None:
        return
    workers = work.trainer_set.count * max(1, gpus_of(node_resources(work)))
    variables = [
        variable("DMLC_TRACKER_URI", f"{work.name}-{NODE}-0-0.{work.name}"),
        variable("DMLC_TRACKER_PORT", PORT),
        index_variable("DMLC_TASK_ID"),
        variable("DMLC_NUM_WORKER", workers),
    ]
    work.set_variables(work.trainer_set.name, container, variables, ORIGIN)
    set_port(container, {"containerPort": PORT, "protocol": "TCP"})
