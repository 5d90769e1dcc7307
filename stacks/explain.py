"""What a TrainJob becomes with a runtime of a stack."""

from pathlib import Path

from components.kubeflow_trainer import KubeflowTrainerSpec
from components.runtimes.explain import LATEST, Explanation, explain
from components.runtimes.explain.files import load_train_job
from components.validation.near import did_you_mean

from .settings.resolve import ResolvedStack


class NoRuntimeError(ValueError):
    """The stack has no such runtime."""


def explain_runtime(stack: ResolvedStack, name: str, train_job_file: Path | None, trainer: str | None) -> Explanation:
    """The runtime as the stack deploys it, on the nodes of its pool, with the stack's version of Trainer.

    `train_job_file`: a YAML file with a TrainJob. None: one that sets nothing. `trainer`: another version of Trainer.

    Raises NoRuntimeError, and what `load_train_job` and `explain` raise.
    """
    runtime = stack.runtimes.get(name)
    if runtime is None:
        fix = did_you_mean(name, stack.runtimes) or f"It has {', '.join(stack.runtimes) or 'no runtimes'}."
        raise NoRuntimeError(f"The stack has no runtime {name}. {fix}")
    train_job = load_train_job(train_job_file) if train_job_file else None
    pool_name = stack.config.runtimes[name].node_pool or ""
    pool = stack.pools.get(pool_name)
    version = trainer or (stack.trainer.version if isinstance(stack.trainer, KubeflowTrainerSpec) else LATEST)
    return explain(runtime, train_job, pool.placement(pool_name) if pool else None, version)
