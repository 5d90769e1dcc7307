"""Rules for TrainJobs, one function each: alone, with their runtime, and with the nodes of a pool.

`check_train_job` returns what the API server, Trainer, JobSet or Kubernetes would reject, and what would not train
without an error. The paths of its violations begin at the TrainJob. `python -m components.runtimes.pair_rules` prints a
table of all rules.
"""

from collections.abc import Iterable

from ...validation.paths import split_path
from ...validation.violation import Violation
from ..api import BaseTrainingRuntime
from ..explain import LATEST, RELEASES, ExplainError
from ..placement import Placement
from ..train_job import TrainJob
from . import (  # noqa: F401 - each registers its rules
    api_server,
    gangs,
    jobset,
    kubernetes,
)
from .kubernetes import pod_violations
from .pair import Pair
from .pool import pool_violations
from .rule import PAIR_RULES as PAIR_RULES
from .rule import PairRule as PairRule
from .trainer import (  # noqa: F401 - each registers its rules
    flux,
    initializers,
    mpi,
    patches,
    reconciliation,
    references,
    torchtune,
    training,
    variables,
)
from .updates import TRAIN_JOB_UPDATE_RULES as TRAIN_JOB_UPDATE_RULES
from .updates import train_job_update_violations as train_job_update_violations


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
    built for. The runtime itself is expected to be valid: its own mistakes are not reported again.

    Raises ExplainError if the version of Trainer is not one of RELEASES.
    """
    release = RELEASES.get(trainer)
    if release is None:
        raise ExplainError(f"Trainer {trainer} is not known. Use {', '.join(RELEASES)}.")
    pair = Pair(train_job, release, runtime, pool)
    found = [each for rule in PAIR_RULES for each in rule.violations(pair)]
    told = [each.path for each in found]
    # What a rule for TrainJobs reports may break a rule for runtimes too.
    again = (each for each in (*pod_violations(pair), *pool_violations(pair)) if not _overlaps(each.path, told))
    return (*found, *dict.fromkeys(again))


def _overlaps(path: str, others: Iterable[str]) -> bool:
    """Whether a path is around or inside one of the others."""
    one = split_path(path)
    return any(one[: len(other)] == other[: len(one)] for other in map(split_path, others))
