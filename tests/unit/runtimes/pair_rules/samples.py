"""TrainJobs with their runtimes, for tests of rules."""

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from components.runtimes.api import BaseTrainingRuntime
from components.runtimes.explain import LATEST
from components.runtimes.pair_rules import check_train_job
from components.runtimes.placement import Placement
from components.runtimes.train_job import TrainJob
from components.validation.violation import Severity, Violation

Manifest = dict[str, Any]


class Sample(NamedTuple):
    """A TrainJob with what it is checked with."""

    train_job: TrainJob
    runtime: BaseTrainingRuntime | None = None
    pool: Placement | None = None
    trainer: str = LATEST

    def violations(self) -> tuple[Violation, ...]:
        """What the rules find."""
        return check_train_job(self.train_job, self.runtime, pool=self.pool, trainer=self.trainer)


@dataclass(frozen=True)
class Case:
    """A TrainJob that breaks one rule at one place, and a similar one that breaks none."""

    rule: str
    path: str
    broken: Sample
    sound: Sample
    severity: Severity = field(default=Severity.ERROR, kw_only=True)

    shows: Literal["create", "strict create", "reconcile", "never"] = field(default="create", kw_only=True)
    """Where the mistake shows: the TrainJob is rejected, or only with strict field validation; it gets no JobSet or no
    Job; or nothing reports it."""

    seen: bool = field(default=True, kw_only=True)
    """Whether `tests/e2e/test_pair_verdicts.py` can see it on a cluster. Otherwise the runtime itself is rejected, the
    cluster has no pod groups, there would be too many pods, or the namespace is the mistake."""

    def __str__(self) -> str:
        """The name of the test's case."""
        return f"{self.rule} {self.path}"


def patches(*jobs: Manifest, manager: str = "example.com/tests", **template: Any) -> list[Manifest]:
    """`runtimePatches` with one patch of these replicated jobs."""
    return [
        {"manager": manager, "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": [*jobs]}, **template}}}
    ]


def pod_patch(job: str = "node", **pod: Any) -> Manifest:
    """The patch of a replicated job's pods."""
    return {"name": job, "template": {"spec": {"template": {"spec": pod}}}}
