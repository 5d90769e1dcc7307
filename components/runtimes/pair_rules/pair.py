"""A TrainJob with the runtime and the nodes that it is for, collected once for all rules."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import ValidationError

from ..api import BaseTrainingRuntime
from ..explain import ExplainError, Explanation, Release, explain
from ..explain.stored import without_fields
from ..placement import Placement
from ..rules.view import RuntimeView
from ..train_job import Trainer, TrainJob


@dataclass(frozen=True)
class Pair:
    """What rules for TrainJobs look at."""

    train_job: TrainJob

    release: Release
    """The release of Trainer."""

    runtime: BaseTrainingRuntime | None = None
    """The runtime of the TrainJob. None: unknown. Rules that need it find nothing."""

    pool: Placement | None = None
    """The nodes. None: unknown."""

    @property
    def name(self) -> str:
        """Name of the TrainJob, and of its JobSet."""
        return self.train_job.metadata.name or ""

    @property
    def trainer(self) -> Trainer | None:
        """`spec.trainer` of the TrainJob."""
        return self.train_job.spec.trainer

    @cached_property
    def unknown_fields(self) -> tuple[str, ...]:
        """Fields of the runtime that the release of Trainer does not have. `[]` is any item of a list."""
        manifest = self.runtime.to_manifest() if self.runtime else {}
        return without_fields(manifest, self.release.unknown_runtime_fields)[1]

    @cached_property
    def view(self) -> RuntimeView | None:
        """The parts of the runtime that the release of Trainer has."""
        if self.runtime is None or not self.unknown_fields:
            return RuntimeView.of(self.runtime) if self.runtime else None
        manifest, _ = without_fields(self.runtime.to_manifest(), self.unknown_fields)
        try:
            return RuntimeView.of(BaseTrainingRuntime.model_validate(manifest, by_alias=True))
        except ValidationError:  # nothing is left of a part that must not be empty
            return None

    @cached_property
    def explanation(self) -> Explanation | None:
        """What the pair becomes. None: no runtime, or too many pods."""
        if self.runtime is None:
            return None
        try:
            return explain(self.runtime, self.train_job, self.pool, self.release.trainer)
        except ExplainError:
            return None

    @cached_property
    def jobset(self) -> dict[str, Any] | None:
        """The JobSet that Trainer applies, without JobSet's defaults. None: there is none, or it is unknown."""
        applied = self.explanation.applied if self.explanation else ()
        return next((each for each in applied if each["kind"] == "JobSet"), None)

    @cached_property
    def result(self) -> RuntimeView | None:
        """The parts of that JobSet, as those of a runtime without a policy: everything that Trainer adds for one is
        there. None: there is no JobSet, or its schema is invalid."""
        if self.jobset is None or self.runtime is None:
            return None
        template = {"spec": {key: value for key, value in self.jobset["spec"].items() if key != "suspend"}}
        manifest = {**self.runtime.to_manifest(), "spec": {"template": template}}
        try:
            return RuntimeView.of(BaseTrainingRuntime.model_validate(manifest, by_alias=True))
        except ValidationError:
            return None
