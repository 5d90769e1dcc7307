"""Rules for TrainJobs, one function each: alone, with their runtime, and with the nodes of a pool.

`check_train_job` returns what the API server, Trainer, JobSet or Kubernetes would reject, and what would not train
without an error. The paths of its violations begin at the TrainJob.
"""

from ...validation.violation import Violation
from ..api import BaseTrainingRuntime
from ..explain import LATEST, RELEASES, ExplainError
from ..placement import Placement
from ..train_job import TrainJob
from . import api_server  # noqa: F401 - registers its rules
from .pair import Pair
from .rule import PAIR_RULES as PAIR_RULES
from .rule import PairRule as PairRule
from .trainer import (  # noqa: F401 - each registers its rules
    patches,
    references,
)


def check_train_job(
    train_job: TrainJob,
    runtime: BaseTrainingRuntime | None = None,
    *,
    pool: Placement | None = None,
    trainer: str = LATEST,
) -> tuple[Violation, ...]:
    """All violations of the rules in a TrainJob.

    `runtime`: the runtime that the TrainJob refers to. Without it, only rules that need no runtime are checked. `pool`:
    the nodes, to check whether the pods fit. `trainer`: the version of Trainer, with the version of JobSet that it is
    built for.

    Raises ExplainError if the version of Trainer is not one of RELEASES.
    """
    release = RELEASES.get(trainer)
    if release is None:
        raise ExplainError(f"Trainer {trainer} is not known. Use {', '.join(RELEASES)}.")
    pair = Pair(train_job, release, runtime, pool)
    return tuple(found for rule in PAIR_RULES for found in rule.violations(pair))
