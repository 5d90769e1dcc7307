"""Deploys a stack: the platform that its file describes, with the outputs of other stacks."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pulumi

from components.jobset import ExternalJobSet
from components.kubeflow_trainer import ExternalTrainer, KubeflowTrainerSpec
from components.platform import PlatformSpec, Target, TargetKeys, TrainingPlatform
from components.runtimes.placement import Placement
from components.validation.violation import Violation

from .outputs import Exports, OperatorExport
from .settings.cluster import Cluster, ContextCluster, RenderedCluster, StackCluster
from .settings.error_report import InvalidSettingsError, format_report
from .settings.resolve import ResolvedStack
from .stack_references import ReferencedOperator, StackReferences

PLATFORM = "platform"
"""Name of the component and prefix of the names of its layers."""


async def deploy(stack: ResolvedStack) -> dict[str, Any]:
    """Declares the layers of the stack as one `TrainingPlatform`.

    The outputs of other stacks are read first, and the cluster's id is checked. Raises InvalidSettingsError before any
    layer is declared. Returns the outputs of the stack, as in `Exports`, and the reports of its validation.
    """
    others = StackReferences()
    stack = await _bound(stack, others)
    _show_warnings(stack)
    platform = TrainingPlatform(PLATFORM, _spec(stack, others))
    layers = await platform.declared()
    exports = Exports(
        gpu_node_pools={name: pool.placement for name, pool in layers.pools.items()},
        jobset=OperatorExport.of(layers.jobset),
        trainer=OperatorExport.of(layers.trainer),
        runtimes=tuple(layers.runtimes.names) if layers.runtimes else (),
    ).outputs()
    return exports | ({"validation": layers.validation.reports} if layers.validation else {})


async def _bound(stack: ResolvedStack, others: StackReferences) -> ResolvedStack:
    """Builds the runtimes that use pools of other stacks. Raises InvalidSettingsError if another stack does not export
    a pool or the Trainer that this one refers to."""
    found = {name: await others.placement(name, spec) for name, spec in stack.other_pools.items()}
    missing = [each for each in found.values() if isinstance(each, Violation)]
    if isinstance(stack.trainer, ReferencedOperator):
        missing.extend(filter(None, [await others.operator("trainer", stack.trainer)]))
    placements = {name: each for name, each in found.items() if isinstance(each, Placement)}
    return stack.bind(placements, missing)


def _show_warnings(stack: ResolvedStack) -> None:
    if stack.warnings:
        count = "1 warning" if len(stack.warnings) == 1 else f"{len(stack.warnings)} warnings"
        pulumi.log.warn(format_report(f"{count} about {stack.file.name}.", stack.file, stack.warnings))


def _spec(stack: ResolvedStack, others: StackReferences) -> PlatformSpec:
    return PlatformSpec(
        _target(stack, others),
        gpu_node_pools=stack.pools,
        jobset=stack.jobset or ExternalJobSet(mode="external"),
        trainer=_trainer(stack),
        runtimes=[*stack.runtimes.values()],
        adopt=frozenset(name for name, runtime in stack.config.runtimes.items() if runtime.adopt),
        validation=stack.config.validation,
        other_placements=stack.placements,
    )


def _trainer(stack: ResolvedStack) -> KubeflowTrainerSpec | ExternalTrainer:
    match stack.trainer:
        case KubeflowTrainerSpec():
            return stack.trainer
        case ReferencedOperator(ready_timeout_seconds=seconds, interrupt_train_jobs=interrupt):
            return ExternalTrainer(mode="external", ready_timeout_seconds=seconds, interrupt_train_jobs=interrupt)
        case None:
            return ExternalTrainer(mode="external")


KEYS = TargetKeys(
    cluster="cluster",
    kubeconfig="cluster.kubeconfig",
    context="cluster.context",
    id="cluster.id",
    replacement="`cluster: {{id: {id}, replaces: {replaces}}}`",
)
"""The keys of a stack file, for messages."""


def _target(stack: ResolvedStack, others: StackReferences) -> Target:
    """The target of the platform. Its errors have the keys and lines of the stack file."""

    def error(violations: Sequence[Violation]) -> InvalidSettingsError:
        return InvalidSettingsError(stack.file, violations)

    keys = KEYS
    match stack.cluster:
        case RenderedCluster(render_to=folder):
            return Target(error, render_to=folder, keys=KEYS)
        case StackCluster(context=context):
            kubeconfig: pulumi.Input[str] | None = others.kubeconfig(stack.cluster.stack, stack.cluster.output)
            keys = replace(KEYS, kubeconfig="cluster.output")
        case ContextCluster(context=context, kubeconfig=kubeconfig):
            pass
    cluster: Cluster = stack.cluster
    return Target(error, context, kubeconfig, cluster_id=cluster.id, replaces=cluster.replaces, keys=keys)
