"""Fields that cannot be changed in an existing runtime."""

from collections.abc import Iterator, Mapping
from typing import Any

from ...validation.violation import Violation
from ..api import BaseTrainingRuntime
from .view import JOBSET_PATH

UPDATE_RULES: Mapping[str, str] = {
    "UPD-01": f"{JOBSET_PATH}.network",
    "UPD-02": f"{JOBSET_PATH}.successPolicy",
    "UPD-03": f"{JOBSET_PATH}.failurePolicy",
    "UPD-04": f"{JOBSET_PATH}.startupPolicy",
    "UPD-05": f"{JOBSET_PATH}.volumeClaimPolicies",
    "UPD-06": f"{JOBSET_PATH}.replicatedJobs[*].dependsOn",
}
"""Paths whose change the API server rejects, by the id of the rule.

They are JobSet's own rules for running JobSets; Trainer's CRD takes them over with the schema.
Source: api/jobset/v1alpha2/jobset_types.go:130-193,346@jobset@v0.12.0 in
manifests/base/crds/trainer.kubeflow.org_clustertrainingruntimes.yaml@trainer@v2.3.0.
"""

IMMUTABLE_PATHS = tuple(UPDATE_RULES.values())
"""The same paths as Pulumi takes them in `replace_on_changes`."""

# The CRD's default; it is there before the API server compares.
_RESTART_STRATEGY = {"restartStrategy": "Recreate"}


def update_violations(before: BaseTrainingRuntime, after: BaseTrainingRuntime) -> tuple[Violation, ...]:
    """Yields violations for an update that the API server rejects: immutable fields that are set before and after, with
    different values. Adding or removing such a field is allowed."""
    return tuple(_changes(_jobset(before), _jobset(after)))


def _jobset(runtime: BaseTrainingRuntime) -> dict[str, Any]:
    template = runtime.spec.template
    spec = template.spec.model_dump(mode="json", by_alias=True, exclude_none=True) if template and template.spec else {}
    if "failurePolicy" in spec:
        spec["failurePolicy"] = _RESTART_STRATEGY | spec["failurePolicy"]
    return spec


def _changes(before: dict[str, Any], after: dict[str, Any]) -> Iterator[Violation]:
    *fields, (depends_on_rule, _) = UPDATE_RULES.items()
    for rule_id, path in fields:
        name = path.rpartition(".")[2]
        if name in before and name in after and before[name] != after[name]:
            yield _violation(rule_id, path)
    earlier = {job["name"]: job for job in before.get("replicatedJobs", ())}
    for index, job in enumerate(after.get("replicatedJobs", ())):
        old, new = earlier.get(job["name"], {}).get("dependsOn"), job.get("dependsOn")
        if old is not None and new is not None and old != new:
            yield _violation(depends_on_rule, f"{JOBSET_PATH}.replicatedJobs[{index}].dependsOn")


def _violation(rule_id: str, path: str) -> Violation:
    name = path.rpartition(".")[2]
    return Violation(
        rule_id,
        path,
        f"{name} of an existing runtime is immutable: the API server rejects the update.",
        "Delete the runtime and create it again, or create it under another name. Existing TrainJobs keep their "
        "copy of the old one.",
    )
