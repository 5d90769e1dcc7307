"""The checks before runtimes are created and before the gate opens: would TrainJobs be admitted?"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import pulumi

from ..cluster.context import StackContext
from ..cluster.hook_error import PreflightError
from ..cluster.threads import run_in_thread
from ..jobset import ExternalJobSet
from ..operators.spec import DEFAULT_READY_TIMEOUT, OperatorSpec
from ..validation.violation import Violation, only_errors
from .cluster_versions import check_cluster_versions
from .field_pruning import FieldPruningCheck
from .probes import AdmissionProbe, jobset_probes, train_job_probes, trainer_probes, wait_until_admitted


@dataclass(frozen=True)
class AdmissionCheck:
    """Checks versions, webhook admission and field pruning in a cluster."""

    operators: Mapping[str, OperatorSpec]
    """The operators that the program installs, by section. Empty if all are installed by someone else."""

    stack_context: StackContext
    """The stack and its cluster."""

    external: ExternalJobSet | None = None
    """The settings of an external JobSet. None: its version is read from the cluster."""

    requires_trainer: bool = False
    """Whether it is a check for runtimes, which need a Trainer, whoever installs it."""

    external_timeout_seconds: int = DEFAULT_READY_TIMEOUT
    """Seconds to wait for the webhooks of an external Trainer."""

    namespace: str | None = None
    """The one namespace of all runtimes. An external Trainer is probed in it, because the deploying identity may have
    no permissions elsewhere. Default: the runtimes are in several namespaces, or cluster-scoped."""

    def run_once(
        self, runtimes: Sequence[Mapping[str, Any]] = (), pruning_check: FieldPruningCheck | None = None
    ) -> Callable[[], Awaitable[None]]:
        """A memoized coroutine that runs all checks, for these runtimes too. Calling it again in the same run has no
        cost. It raises PreflightError or AdmissionTimeoutError. `pruning_check` remembers which fields the cluster
        keeps."""
        pruning_check = pruning_check or FieldPruningCheck(self.stack_context.access)

        async def ask() -> None:
            violations = await run_in_thread(self._violations)
            if errors := only_errors(violations):
                raise PreflightError(errors)
            for warning in map(str, violations):
                if warning not in self.stack_context.run.warned:
                    self.stack_context.run.warned.add(warning)
                    pulumi.log.warn(warning)
            if seconds := self.seconds:
                await run_in_thread(wait_until_admitted, self.stack_context.access, self.probes(runtimes), seconds)
            await run_in_thread(pruning_check.require, runtimes)

        return cache(lambda: asyncio.ensure_future(ask()))

    def probes(self, runtimes: Sequence[Mapping[str, Any]]) -> tuple[AdmissionProbe, ...]:
        """The probes to send. Their namespace is that of the last operator; for an external Trainer, that of the
        runtimes, or `default`."""
        namespace = [*(spec.namespace for spec in self.operators.values()), "default"][max(len(self.operators) - 1, 0)]
        asked = [*(jobset_probes(namespace) if self.operators else ())]
        if self.requires_trainer or "trainer" in self.operators:
            own = self.namespace if "trainer" not in self.operators else None
            asked += trainer_probes(own, "TrainingRuntime") if own else trainer_probes(namespace)
            asked += train_job_probes(runtimes, namespace)
        return tuple(asked)

    @property
    def seconds(self) -> int:
        """Seconds to wait for the webhooks: the longest timeout of the operators. 0, which disables the probes, if any
        of them is 0."""
        seconds = [spec.ready_timeout_seconds for spec in self.operators.values()]
        if self.requires_trainer and "trainer" not in self.operators:
            seconds.append(self.external_timeout_seconds)
        return max(seconds, default=0) if all(seconds) else 0

    def _violations(self) -> tuple[Violation, ...]:
        """The violations by the versions that the program's Trainer finds in the cluster."""
        trainer = self.operators.get("trainer")
        if trainer is None:
            return ()
        said = self.external.version if self.external else None
        return check_cluster_versions(trainer.version, "jobset" not in self.operators, said, self.stack_context.access)
