"""The ConfigMap that keeps a report in the cluster, readable without permissions on pods."""

from collections.abc import Mapping
from typing import Any

from ..cluster.context import StackContext
from ..cluster.hook_error import PreflightError
from ..cluster.ownership import describe_owner, is_owned_by, marks
from ..validation.violation import Violation
from .plan import LABEL, TrainingPlan
from .report import ValidationReport


def name_of(plan: TrainingPlan) -> str:
    """Name of the ConfigMap."""
    return f"training-validation-{plan.name}"


def require_own(plan: TrainingPlan, stack_context: StackContext) -> Mapping[str, Any] | None:
    """The ConfigMap, or None. Raises PreflightError if another owner has it, ClusterReadError if that is unknown."""
    there = stack_context.access.get(f"{_collection(plan)}/{name_of(plan)}")
    if there is None or is_owned_by(stack_context, there):
        return there
    message = f"ConfigMap {plan.namespace}/{name_of(plan)} already exists, {describe_owner(there)}."
    fix = "Set another `validation.namespace`, or remove the ConfigMap."
    raise PreflightError([Violation("VAL-02", "validation.namespace", message, fix)])


def write(plan: TrainingPlan, stack_context: StackContext, report: ValidationReport) -> None:
    """Creates or updates the ConfigMap. Raises PreflightError and ClusterReadError."""
    data = report.to_config_map_data()
    if require_own(plan, stack_context):
        answer = stack_context.access.request("PATCH", f"{_collection(plan)}/{name_of(plan)}", {"data": data})
    else:
        metadata = {"name": name_of(plan), "labels": {LABEL: "true"}, "annotations": marks(stack_context)}
        manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
        answer = stack_context.access.request("POST", _collection(plan), manifest)
    if not answer.ok:
        what = f"ConfigMap {plan.namespace}/{name_of(plan)}"
        message = f"{what} cannot be written: {answer.message}. It would have this report:\n{report}"
        fix = "Create the namespace, or remove what refuses the ConfigMap, and run this again."
        raise PreflightError([Violation("VAL-04", "validation.namespace", message, fix)])


def _collection(plan: TrainingPlan) -> str:
    return f"/api/v1/namespaces/{plan.namespace}/configmaps"
