"""TrainJobs in files, checked with the runtimes of a stack."""

from collections.abc import Iterable
from pathlib import Path

from components.kubeflow_trainer import KubeflowTrainerSpec
from components.runtimes.explain import LATEST, closest_release
from components.runtimes.loader import RuntimesReport, read_files
from components.runtimes.train_job import RuntimeRef
from components.runtimes.train_job_linter import CLUSTER_KIND, FoundRuntime, RuntimeSource, check_train_jobs

from .settings.resolve import ResolvedStack


def check_files(stack: ResolvedStack, name: str, files: Iterable[Path]) -> RuntimesReport:
    """The report on the TrainJobs in files, with the runtimes of a stack on the nodes of their pools, and with the
    stack's version of Trainer. Raises OSError."""
    report = read_files(files)
    check_train_jobs(report, runtimes_of_stack(stack, name), closest_release(trainer_version(stack)).trainer)
    return report


def runtimes_of_stack(stack: ResolvedStack, name: str) -> RuntimeSource:
    """The runtimes of a stack, each with its pool."""

    def find(reference: RuntimeRef, namespace: str) -> FoundRuntime | None:
        runtime = stack.runtimes.get(reference.name)
        if runtime is None or runtime.kind != (reference.kind or CLUSTER_KIND):
            return None
        if runtime.metadata.namespace not in (None, namespace):
            return None
        pool_name = stack.config.runtimes[reference.name].node_pool or ""
        pool = stack.pools.get(pool_name)
        return FoundRuntime(runtime, f"stack {name}", pool.placement(pool_name) if pool else None)

    fix = "Pass its file too, or use a runtime of the stack."
    return RuntimeSource(f"stack {name}", find, lambda: stack.runtimes, fix)


def trainer_version(stack: ResolvedStack) -> str:
    """The version of Trainer that a stack installs, or else the newest that is known."""
    return stack.trainer.version if isinstance(stack.trainer, KubeflowTrainerSpec) else LATEST
