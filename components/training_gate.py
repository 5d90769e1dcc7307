"""The gate of a training platform: it is created when TrainJobs are admitted, and its deletion guards a destroy."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any, NotRequired, TypedDict

from .validation.extras import missing_extra

try:
    import pulumi
    import pulumi_kubernetes as kubernetes
except ModuleNotFoundError as error:
    raise missing_extra("pulumi", error, __name__) from None

from .admission.checks import AdmissionCheck
from .admission.field_pruning import FieldPruningCheck
from .cluster.context import StackContext
from .cluster.ownership import annotations_of, ownership_hook
from .cluster.resource_hook import resource_hook
from .cluster.threads import run_in_thread
from .jobset import ExternalJobSet, JobSetOperatorSpec
from .kubeflow_trainer import KubeflowTrainerSpec
from .operators.chart import OperatorChart, owner_annotations, specs_by_section
from .operators.spec import DEFAULT_READY_TIMEOUT, OperatorSpec
from .operators.uninstall_checks import Going, require_no_active_train_jobs, require_no_contents, require_safe_uninstall
from .training_runtimes import TrainingRuntimes

CONFIG_MAP_NAME = "training-platform"
"""Name of the gate's ConfigMap."""


DESCRIPTION = "Created when TrainJobs are admitted, deleted when nothing prevents the removal of the operators."

FINGERPRINT = "training-platform/fingerprint"
"""Annotation that changes with the settings that decide whether a TrainJob is admitted."""

SECTIONS = (JobSetOperatorSpec.facts.section, KubeflowTrainerSpec.facts.section)
"""Sections of the operators whose removal the gate checks."""

OPERATORS = "training-platform/operators"
"""Annotation with the operators of the stack."""

NAMESPACES = "training-platform/namespaces"
"""Annotation with their namespaces, in the same order."""

WEBHOOK_UIDS = "training-platform/webhooks"
"""Annotation that changes when webhook configurations are replaced, even if the settings are unchanged."""


class TrainingGateArgs(TypedDict):
    """The arguments of `TrainingGate`."""

    operators: Sequence[OperatorChart]
    """The operators that the program installs, JobSet before Trainer; at least one."""

    runtimes: NotRequired[TrainingRuntimes | None]
    """The runtimes that TrainJobs can use once the gate is open. Default: none."""

    stack_context: StackContext
    """The stack and its cluster."""

    external: NotRequired[ExternalJobSet | None]
    """The settings of an external JobSet. Default: its version is read from the cluster."""


class TrainingGate(pulumi.ComponentResource):
    """A ConfigMap in the last operator's namespace that is created last and deleted first.

    Before it is created or changed, which happens whenever an operator, its webhooks or a runtime change, the API
    server must admit a TrainJob for each runtime and reject an invalid one: when `up` has finished, users can submit.
    Before it is deleted, `operators.uninstall_checks` makes sure that no work of users is lost. Because it has a hook
    for that, `pulumi destroy` needs `--run-program`.

    List everything that it waits for in `depends_on`.
    """

    def __init__(self, name: str, args: TrainingGateArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("training-platform:index:TrainingGate", name, {}, opts)
        operators, stack_context = specs_by_section(args["operators"]), args["stack_context"]
        made = args.get("runtimes")
        runtimes = made.manifests if made else ()
        *_, last = operators.values()
        pruning_check, seconds, namespace = (
            (made.pruning_check, made.ready_timeout_seconds, made.namespace)
            if made
            else (None, DEFAULT_READY_TIMEOUT, None)
        )
        admission = AdmissionCheck(operators, stack_context, args.get("external"), bool(made), seconds, namespace)
        opening = opening_hook(name, admission, runtimes, pruning_check)
        own = ownership_hook(f"{name}:own", stack_context, last.facts.section, last.adopt)
        operator_removal, destroy = (
            operator_removal_hook(name, operators, stack_context),
            destroy_hook(name, operators, runtimes, stack_context),
        )
        kubernetes.core.v1.ConfigMap(
            name,
            metadata={
                "name": CONFIG_MAP_NAME,
                "namespace": last.namespace,
                # Not in `data`: if that changes, the provider replaces the ConfigMap.
                "annotations": {
                    **owner_annotations(stack_context),
                    OPERATORS: " ".join(operators),
                    NAMESPACES: " ".join(each.namespace for each in operators.values()),
                    FINGERPRINT: fingerprint(operators, runtimes),
                    WEBHOOK_UIDS: pulumi.Output.all(*(each.webhook_uids for each in args["operators"])).apply(" ".join),
                },
            },
            data={"about": DESCRIPTION},
            opts=pulumi.ResourceOptions(
                parent=self,
                hooks=pulumi.ResourceHookBinding(
                    before_create=[own, opening],
                    before_update=[own, operator_removal, opening],
                    before_delete=[own, destroy],
                ),
            ),
        )
        self.register_outputs({})


def opening_hook(
    name: str, admission: AdmissionCheck, runtimes: Sequence[Mapping[str, Any]], pruning_check: FieldPruningCheck | None
) -> pulumi.ResourceHook:
    """The hook that returns when TrainJobs are admitted."""
    asked, created = admission.run_once(runtimes, pruning_check), admission.stack_context.run.created

    async def admit(args: pulumi.ResourceHookArgs) -> None:
        await asked()
        if args.old_inputs is None:
            created.add("gate")

    return resource_hook(f"{name}:check-admission", admit, waits=admission.seconds)


def operator_removal_hook(
    name: str, operators: Mapping[str, OperatorSpec], stack_context: StackContext
) -> pulumi.ResourceHook:
    """The hook that checks whether one operator can be removed or renamed while the stack keeps its gate."""

    async def shrink(args: pulumi.ResourceHookArgs) -> None:
        await run_in_thread(_require_going, goes(args.old_inputs, operators), operators, stack_context)

    return resource_hook(f"{name}:check-operator-removal", shrink)


def destroy_hook(
    name: str, operators: Mapping[str, OperatorSpec], runtimes: Sequence[Mapping[str, Any]], stack_context: StackContext
) -> pulumi.ResourceHook:
    """The hook that checks whether the operators can be removed. A program without operators registers it with none:
    the engine finds it by name when the gate is deleted.

    If the same run has created another gate, this one is replaced, and only operators that the settings no longer have
    are removed.
    """

    async def leave(args: pulumi.ResourceHookArgs) -> None:
        if "gate" in stack_context.run.created:
            await run_in_thread(_require_going, goes(args.old_inputs, operators), operators, stack_context)
        else:
            await run_in_thread(require_safe_uninstall, goes(args.old_inputs, {}), operators, runtimes, stack_context)
            stack_context.run.checked |= {*SECTIONS}

    return resource_hook(f"{name}:check-destroy", leave)


def goes(gate: Mapping[str, Any] | None, operators: Mapping[str, OperatorSpec]) -> Going:
    """The operators of a gate that no longer exist, or no longer in the same namespace."""
    annotations = annotations_of(gate)
    sections, namespaces = annotations.get(OPERATORS, "").split(), annotations.get(NAMESPACES, "").split()
    before: dict[str, str | None] = dict(zip_longest(sections, namespaces[: len(sections)]))
    return {
        section: namespace
        for section, namespace in before.items()
        if section not in operators or namespace not in (None, operators[section].namespace)
    }


def _require_going(going: Going, operators: Mapping[str, OperatorSpec], stack_context: StackContext) -> None:
    require_no_active_train_jobs(going, operators, stack_context.access)
    require_no_contents(going, stack_context)
    stack_context.run.checked |= {*SECTIONS}


def fingerprint(operators: Mapping[str, OperatorSpec], runtimes: Sequence[Mapping[str, Any]]) -> str:
    """A hash of everything that decides whether a TrainJob is admitted."""
    described = [[spec.version, spec.chart, spec.chart_values(), spec.pod_fields()] for spec in operators.values()]
    text = json.dumps([described, list(runtimes)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
