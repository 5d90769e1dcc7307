"""`TrainingValidation`: a small TrainJob for each runtime at the end of an `up`."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

import pulumi
import pulumi_kubernetes as kubernetes

from ..cluster.client import ClusterReadError
from ..cluster.context import StackContext
from ..cluster.hook_error import PreflightError
from ..cluster.ownership import marks
from ..cluster.resource_hook import resource_hook
from ..cluster.threads import run_in_thread
from ..validation.violation import Violation
from .plan import LABEL, TrainingPlan
from .removal import removal_hook
from .report import ValidationReport
from .report_config_map import name_of, require_own, write
from .rights import require_rights
from .run import OBSERVATION_TIMEOUT, REMOVAL_TIMEOUT, ValidationRun

FINGERPRINT = "training-platform/fingerprint"
"""Annotation that changes with everything that the result depends on, so that the hook runs then."""


class ValidationFailedError(Exception):
    """A validation failed, and `validation.strict` is set. The message is its report."""


class TrainingValidationArgs(TypedDict):
    """The arguments of `TrainingValidation`."""

    plans: Sequence[TrainingPlan]
    """The validations, one for each runtime."""

    strict: bool
    """Whether a failed validation fails `up`."""

    operators: str
    """What identifies the operators: another text is another validation."""

    stack_context: StackContext
    """The stack and its cluster."""


class TrainingValidation(pulumi.ComponentResource):
    """A ConfigMap with a report for each runtime.

    Before one is created or changed, which happens whenever its runtime, the runtime's pool, an operator or the
    settings change, its TrainJob runs. One TrainJob runs at a time, so that they do not compete for nodes.

    List everything that it waits for in `depends_on`.
    """

    reports: pulumi.Output[dict[str, Any]]
    """The reports by name of the runtime, after the namespace of a TrainingRuntime. A preview does not know those of
    validations that it would run."""

    def __init__(self, name: str, args: TrainingValidationArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("training-platform:index:TrainingValidation", name, {}, opts)
        stack_context = args["stack_context"]
        plans = {f"{name}:{plan.key}": plan for plan in args["plans"]}
        run = validation_hook(name, plans, stack_context, strict=args["strict"])
        own = removal_hook(name, stack_context)
        reports = {}
        for resource, plan in plans.items():
            config_map = kubernetes.core.v1.ConfigMap(
                resource,
                # The hook writes `data`: it is part of the object, and so of the state, but not of the inputs.
                metadata={
                    "name": name_of(plan),
                    "namespace": plan.namespace,
                    "labels": {LABEL: "true"},
                    "annotations": {**marks(stack_context), FINGERPRINT: fingerprint(plan, args)},
                },
                opts=pulumi.ResourceOptions(
                    parent=self,
                    hooks=pulumi.ResourceHookBinding(before_create=[run], before_update=[run], before_delete=[own]),
                ),
            )
            reports[plan.key] = config_map.data.apply(report_of)
        self.reports = pulumi.Output.all(**reports)
        self.register_outputs({"reports": self.reports})


def fingerprint(plan: TrainingPlan, args: TrainingValidationArgs) -> str:
    """What the result depends on. A validation that becomes strict runs again, because its report may be a failure."""
    return plan.fingerprint(f"{args['operators']} {args['strict']}")


def report_of(data: Mapping[str, str] | None) -> Any:
    """The report in the data of its ConfigMap. None: there is none yet, or someone has edited it."""
    try:
        return json.loads((data or {}).get("report.json") or "null")
    except ValueError:
        return None


def validation_hook(
    name: str, plans: Mapping[str, TrainingPlan], stack_context: StackContext, *, strict: bool
) -> pulumi.ResourceHook:
    """The hook that runs the validation of the ConfigMap's runtime and writes its report."""
    turn = asyncio.Lock()

    async def validate(args: pulumi.ResourceHookArgs) -> None:
        plan = plans[args.name]
        async with turn:
            report = await run_in_thread(_validate, plan, stack_context)
        if report.passed:
            pulumi.log.info(str(report))
        elif strict:
            raise ValidationFailedError(f"Validation of {report}")
        else:
            pulumi.log.warn(f"Validation of {report}")

    waits = sum(plan.timeout_seconds + OBSERVATION_TIMEOUT + 2 * REMOVAL_TIMEOUT for plan in plans.values())
    return resource_hook(f"{name}:run", validate, waits=waits)


def _validate(plan: TrainingPlan, stack_context: StackContext) -> ValidationReport:
    try:
        require_rights(stack_context.access, plan.namespace, with_report=True)
        require_own(plan, stack_context)
        report = ValidationRun(stack_context).validate(plan)
        write(plan, stack_context, report)
    except ClusterReadError as error:
        message = f"The validation of runtime `{plan.name}` did not end: {error}."
        fix = "Make the API server answer, and run this again. It deletes what this run left."
        raise PreflightError([Violation("VAL-03", "validation", message, fix)]) from error
    return report
