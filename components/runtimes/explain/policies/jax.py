"""JAX: the coordinator's address.

Source: plugins/jax/jax.go (v2.2.0, v2.3.0).
"""

from ...topology import NODE
from ..reconciliation import PORT, NotReconciledError, Reconciliation, index_variable, set_port, variable
from .plain import take_node_count

ORIGIN = "Trainer (jax)"


def enforce(work: Reconciliation) -> None:
    """Sets JAX_* in the container that trains, if the TrainJob has `trainer`."""
    if work.policy_of("jax") is None:
        return
    if work.trainer_set is None and work.release.trainer == "2.2.0":
        raise NotReconciledError("Trainer's JAX plugin panics: no job has the ancestor label trainer.")
    take_node_count(work)
    container = work.trainer_container
    if work.trainer is None or work.trainer_set is None or container is None:
        return
    address = f"{work.name}-{NODE}-0-0.{work.name}:{PORT}"
    variables = [
        variable("JAX_NUM_PROCESSES", work.trainer_set.count),
        index_variable("JAX_PROCESS_ID"),
        variable("JAX_COORDINATOR_ADDRESS", address),
    ]
    work.set_variables(work.trainer_set.name, container, variables, ORIGIN)
    set_port(container, {"containerPort": PORT, "protocol": "TCP"})
