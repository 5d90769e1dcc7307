"""Whether Trainer's controller makes a JobSet."""

from collections.abc import Iterator

from ....validation.violation import Violation
from ...rules.rule import violation
from ...train_job import MANAGED_BY_TRAINER
from ..pair import Pair
from ..patched import patched_jobs
from ..rule import pair_rule


@pair_rule("REC-10")
def trainer_makes_a_jobset(pair: Pair) -> Iterator[Violation]:
    """Trainer's controller fails for the TrainJob, and creates no JobSet.

    Its JAX plugin of 2.2 panics if no job of the runtime has the trainer label. Other failures are mistakes of the
    runtime, such as REC-01 and TJC-26, or of a TrainJob for Flux (REC-04).
    Source: pkg/runtime/framework/plugins/jax/jax.go@trainer@v2.2.0.
    """
    failure = pair.explanation.failure if pair.explanation else None
    flux = pair.view is not None and pair.view.policy == "flux"
    managed = pair.train_job.spec.managed_by in (None, MANAGED_BY_TRAINER)
    # A job that a patch adds breaks TJC-18 or TJC-12.
    names = {job.name for job in pair.view.jobs} if pair.view else set()
    adds_job = any(job.name not in names for job in patched_jobs(pair))
    if failure and managed and pair.jobset is None and not flux and not adds_job:
        yield violation("spec.runtimeRef.name", failure, "Use another runtime, or correct this one.")
