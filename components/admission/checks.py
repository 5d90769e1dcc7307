"""Whether what users submit is admitted: what is asked before runtimes are made, and before the gate opens."""

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
    """Whose webhooks are asked, in which cluster, and how long they may take."""

    operators: Mapping[str, OperatorSpec]
    """The operators that the program installs, by section; none where all are others'."""

    tenancy: StackContext
    """The cluster, and whose program it is."""

    external: ExternalJobSet | None = None
    """What is said of a JobSet that someone else installs. None: its version is read from the cluster."""

    requires_trainer: bool = False
    """Whether it is for runtimes: these take a Trainer, whoever installs it."""

    external_timeout_seconds: int = DEFAULT_READY_TIMEOUT
    """How long the webhooks of others' Trainer may take, in seconds."""

    def run_once(
        self, runtimes: Sequence[Mapping[str, Any]] = (), pruning_check: FieldPruningCheck | None = None
    ) -> Callable[[], Awaitable[None]]:
        """What returns when the operators and what they find in the cluster fit each other, and everything that is
        asked of their webhooks, for these runtimes too, is answered rightly, and the cluster keeps all of the runtimes,
        which `pruning_check` remembers. However often it is called, that is asked once in a run."""
        pruning_check = pruning_check or FieldPruningCheck(self.tenancy.access)

        async def ask() -> None:
            violations = await run_in_thread(self._violations)
            if errors := only_errors(violations):
                raise PreflightError(errors)
            for violation in violations:
                pulumi.log.warn(str(violation))
            if seconds := self.seconds:
                await run_in_thread(wait_until_admitted, self.tenancy.access, self.probes(runtimes), seconds)
            await run_in_thread(pruning_check.require, runtimes)

        return cache(lambda: asyncio.ensure_future(ask()))

    def probes(self, runtimes: Sequence[Mapping[str, Any]]) -> tuple[AdmissionProbe, ...]:
        """What is asked, in the namespace of the last operator; of others' in `default`, Trainer alone."""
        namespace = [*(spec.namespace for spec in self.operators.values()), "default"][max(len(self.operators) - 1, 0)]
        asked = [*(jobset_probes(namespace) if self.operators else ())]
        if self.requires_trainer or "trainer" in self.operators:
            asked += [*trainer_probes(namespace), *train_job_probes(runtimes, namespace)]
        return tuple(asked)

    @property
    def seconds(self) -> int:
        """How long the webhooks may take: as long as the slowest. 0 when one of them is not to be asked."""
        seconds = [spec.ready_timeout_seconds for spec in self.operators.values()]
        if self.requires_trainer and "trainer" not in self.operators:
            seconds.append(self.external_timeout_seconds)
        return max(seconds, default=0) if all(seconds) else 0

    def _violations(self) -> tuple[Violation, ...]:
        """What is to be said about what the program's Trainer finds in the cluster."""
        trainer = self.operators.get("trainer")
        if trainer is None:
            return ()
        said = self.external.version if self.external else None
        return check_cluster_versions(trainer.version, "jobset" not in self.operators, said, self.tenancy.access)
