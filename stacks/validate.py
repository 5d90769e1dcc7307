"""Validates the runtimes of a stack in a cluster, without an engine and without the stack's state."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping

from components.cluster.client import ClusterClient
from components.cluster.context import StackContext
from components.cluster.ownership import marks
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.platform.checks import check_validation
from components.training_validation.plan import TrainingPlan, plan_trainings, validation_pools
from components.training_validation.report import ValidationReport
from components.training_validation.rights import require_rights
from components.training_validation.run import ValidationRun
from components.training_validation.spec import ValidationSpec
from components.validation.near import did_you_mean

from .settings.cluster import ContextCluster
from .settings.error_report import InvalidSettingsError
from .settings.resolve import ResolvedStack


class ValidateError(ValueError):
    """The command cannot run. The message says why."""


def cluster_of(stack: ResolvedStack, context: str | None, kubeconfig: str | None) -> ClusterClient:
    """The cluster of a context, or of the stack. Raises ValidateError if the stack's is known to its engine only."""
    if context:
        return ClusterClient(context, kubeconfig)
    if isinstance(stack.cluster, ContextCluster):
        return ClusterClient(stack.cluster.context, kubeconfig or stack.cluster.kubeconfig)
    raise ValidateError("The stack names no context. Add `--context`.")


def plans_of(stack: ResolvedStack, only: Iterable[str], owner: StackContext) -> tuple[TrainingPlan, ...]:
    """The validations of a stack, or of some of its runtimes, with the settings of its section `validation`.

    Raises ValidateError for a runtime that the stack does not have, and InvalidSettingsError.
    """
    spec = stack.config.validation or ValidationSpec()
    for name in only:
        if name not in stack.runtimes:
            fix = did_you_mean(name, stack.runtimes) or f"It has {', '.join(stack.runtimes) or 'no runtimes'}."
            raise ValidateError(f"The stack has no runtime {name}. {fix}")
    if only:
        spec = spec.model_copy(update={"runtimes": tuple(only)})
    runtimes = [*stack.runtimes.values()]
    if errors := [*check_validation(spec, runtimes, stack.pools, stack.placements)]:
        raise InvalidSettingsError(stack.file, errors)
    trainer = stack.trainer.version if isinstance(stack.trainer, KubeflowTrainerSpec) else None
    pools = validation_pools(stack.pools, stack.placements)
    return plan_trainings(spec, runtimes, pools, marks(owner), trainer)


def validate_stack(
    stack: ResolvedStack, project: str, only: Iterable[str], context: str | None, kubeconfig: str | None
) -> Iterator[ValidationReport]:
    """Yields the report of each runtime as soon as it is there.

    The TrainJobs have an owner mark of their own, so that neither a running `up` of the stack nor this command deletes
    those of the other.

    Args:
        stack: The stack.
        project: Name of its project.
        only: Names of the runtimes. Empty: those of the section `validation`.
        context: Name of a context. Default: the stack's.
        kubeconfig: Path of the kubeconfig. Default: the stack's.

    Raises ValidateError, InvalidSettingsError, PreflightError for missing permissions, and ClusterReadError.
    """
    access = cluster_of(stack, context, kubeconfig)
    owner = StackContext(access, f"{project}/{stack.file.stack} validate")
    plans = plans_of(stack, only, owner)
    for namespace in dict.fromkeys(plan.namespace for plan in plans):
        require_rights(access, namespace, with_report=False)
    run = ValidationRun(owner)
    for plan in plans:
        yield run.validate(plan)


def print_text(reports: Iterable[ValidationReport]) -> bool:
    """Print the page of each report as soon as it is there. Returns whether all passed."""
    passed = True
    for report in reports:
        print(report, flush=True)
        passed &= report.passed
    return passed


def print_json(reports: Iterable[ValidationReport]) -> bool:
    """Print all reports as a JSON list. Returns whether all passed."""
    everything = [*reports]
    json.dump([each.to_output() for each in everything], sys.stdout, indent=2)
    print()
    return all(each.passed for each in everything)


REPORT_FORMATS: Mapping[str, Callable[[Iterable[ValidationReport]], bool]] = {"text": print_text, "json": print_json}
"""How reports are printed."""
