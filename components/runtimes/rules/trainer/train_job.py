"""What a runtime requires its TrainJobs to set."""

from collections.abc import Iterator

from ....validation.violation import Severity, Violation
from ..rule import rule, violation
from ..view import RuntimeView
from .frameworks import ADDRESS_OF, trainer_container

POLICIES = ("torch", "jax", "xgboost")


@rule("SIL-40", severity=Severity.WARNING)
def train_jobs_have_a_trainer(view: RuntimeView) -> Iterator[Violation]:
    """A runtime of several nodes for torch, JAX or XGBoost has its own command.

    A TrainJob for it may set only the runtime. Trainer sets the framework's environment only if the TrainJob has
    `spec.trainer`, at least `{}`. Otherwise each node trains alone, and all report success.
    Source: read in pkg/runtime/framework/plugins/torch/torch.go:138-143, jax/jax.go:69-71, xgboost/xgboost.go
    EnforceMLPolicy@trainer@v2.3.0; kubeflow/trainer issue 4076.
    """
    at, policy = trainer_container(view), view.runtime.spec.ml_policy
    nodes = (policy.num_nodes if policy else None) or 1
    if at is None or tuple(at.model.command or ())[:2] == ("tune", "run"):
        return  # a TrainJob must say this command, too, for Trainer to complete it
    if view.policy in POLICIES and nodes > 1 and (at.model.command or at.model.args):
        yield violation(
            f"{at.path}.{'command' if at.model.command else 'args'}",
            f"The runtime brings its own command: a TrainJob without `trainer` gets no {ADDRESS_OF[view.policy]}, and "
            f"each of its {nodes} nodes trains alone.",
            "Write `trainer: {}` in every TrainJob, or leave the command to the TrainJobs.",
        )
