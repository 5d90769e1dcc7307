"""PlainML: the node count and the environment of the TrainJob, for runtimes without a framework, XGBoost and Flux too.

Source: plugins/plainml/plainml.go.
"""

from ..reconciliation import Reconciliation, variables_of

TRAIN_JOB = "TrainJob trainer.env"


def enforce(work: Reconciliation) -> None:
    """Takes the node count and the variables from the TrainJob."""
    if any(work.policy_of(framework) is not None for framework in ("torch", "mpi", "jax")):
        return
    take_node_count(work)
    take_variables(work)


def take_node_count(work: Reconciliation) -> None:
    """The TrainJob's `numNodes` becomes the count of the job that trains."""
    nodes = (work.trainer or {}).get("numNodes")
    if nodes is not None and work.trainer_set is not None:
        work.trainer_set.count = nodes


def take_variables(work: Reconciliation) -> None:
    """The TrainJob's `env` goes to the container that trains."""
    if work.trainer is not None and work.trainer_set is not None and work.trainer_container is not None:
        work.set_variables(work.trainer_set.name, work.trainer_container, variables_of(work.trainer), TRAIN_JOB)
