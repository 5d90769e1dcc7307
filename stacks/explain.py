"""What a TrainJob becomes with a runtime of a stack."""

from collections.abc import Iterator
from typing import NamedTuple

from components.runtimes import ClusterTrainingRuntime, TrainingRuntime
from components.runtimes.explain import Explanation, explain
from components.runtimes.train_job import TrainJob
from components.validation.near import did_you_mean

from .cluster_client import client_of
from .dry_run import compare_with_server
from .settings.resolve import ResolvedStack
from .train_jobs import trainer_version


class NoRuntimeError(ValueError):
    """The stack has no such runtime."""


class StackRuntime(NamedTuple):
    """A runtime of a stack, to explain."""

    stack: ResolvedStack
    name: str
    """The runtime's name, which is its key in the stack's file."""

    trainer: str
    """Version of Trainer."""

    @property
    def runtime(self) -> ClusterTrainingRuntime | TrainingRuntime:
        """The runtime as the stack deploys it."""
        return self.stack.runtimes[self.name]

    def explain(self, train_job: TrainJob | None) -> Explanation:
        """What it becomes on the nodes of its pool. Raises ExplainError."""
        pool_name = self.stack.config.runtimes[self.name].node_pool or ""
        pool = self.stack.pools.get(pool_name)
        return explain(self.runtime, train_job, pool.placement(pool_name) if pool else None, self.trainer)

    def ask_cluster(self, train_job: TrainJob) -> Iterator[str]:
        """Lines about what the API server says of the TrainJob, by dry run."""
        client = client_of(self.stack)
        if client is None:
            yield "The API server was not asked: the stack file names no context of a kubeconfig."
            return
        yield from compare_with_server(client, self.runtime, train_job, self.trainer)


def find_runtime(
    stack: ResolvedStack, name: str | None, train_job: TrainJob | None, trainer: str | None
) -> StackRuntime:
    """The runtime of a name, or without a name the one that the TrainJob refers to. `trainer`: another version of
    Trainer than the stack's.

    Raises NoRuntimeError.
    """
    if name is None and train_job is not None:
        name = train_job.spec.runtime_ref.name
    if name is None:
        raise NoRuntimeError("Name a runtime of the stack, or a file with --train-job.")
    if name not in stack.runtimes:
        fix = did_you_mean(name, stack.runtimes) or f"It has {', '.join(stack.runtimes) or 'no runtimes'}."
        raise NoRuntimeError(f"The stack has no runtime {name}. {fix}")
    return StackRuntime(stack, name, trainer or trainer_version(stack))
