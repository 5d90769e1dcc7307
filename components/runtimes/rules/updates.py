"""What cannot be changed in a runtime that exists."""

from collections.abc import Iterator
from typing import Any

from ...violation import Violation
from ..api import Runtime
from .layout import JOBSET_PATH

_FIELDS = {
    "network": "UPD-01",
    "successPolicy": "UPD-02",
    "failurePolicy": "UPD-03",
    "startupPolicy": "UPD-04",
    "volumeClaimPolicies": "UPD-05",
}
_DEPENDS_ON = "UPD-06"

IMMUTABLE_PATHS = (
    *(f"{JOBSET_PATH}.{field}" for field in _FIELDS),
    f"{JOBSET_PATH}.replicatedJobs[*].dependsOn",
)
"""Paths whose change the API server refuses, written as Pulumi writes property paths.

They are JobSet's own rules for running JobSets; Trainer's CRD takes them over with the schema.
Source: api/jobset/v1alpha2/jobset_types.go:130-193,346@jobset@v0.12.0 in
manifests/base/crds/trainer.kubeflow.org_clustertrainingruntimes.yaml@trainer@v2.3.0.
"""

# The CRD's defaults inside those fields; they are there before the API server compares.
_RESTART_STRATEGY = "Recreate"


def update_violations(before: Runtime, after: Runtime) -> tuple[Violation, ...]:
    """What the API server refuses when a runtime becomes another: values that are there before and after, and differ.

    Adding or removing such a field as a whole is allowed.
    """
    return tuple(_changes(_jobset(before), _jobset(after)))


def _jobset(runtime: Runtime) -> dict[str, Any]:
    template = runtime.spec.template
    return template.spec.model_dump(mode="json", by_alias=True, exclude_none=True) if template and template.spec else {}


def _changes(before: dict[str, Any], after: dict[str, Any]) -> Iterator[Violation]:
    for field, rule_id in _FIELDS.items():
        if field in before and field in after and _stored(before[field]) != _stored(after[field]):
            yield _violation(rule_id, f"{JOBSET_PATH}.{field}", field)
    earlier = {job["name"]: job for job in before.get("replicatedJobs", ())}
    for index, job in enumerate(after.get("replicatedJobs", ())):
        old, new = earlier.get(job["name"], {}).get("dependsOn"), job.get("dependsOn")
        if old is not None and new is not None and old != new:
            yield _violation(_DEPENDS_ON, f"{JOBSET_PATH}.replicatedJobs[{index}].dependsOn", "dependsOn")


def _stored(value: Any) -> Any:
    """A value as the API server stores it."""
    if isinstance(value, dict) and value.keys() & {"maxRestarts", "rules", "restartStrategy"}:
        return {"restartStrategy": _RESTART_STRATEGY, **value}
    return value


def _violation(rule_id: str, path: str, field: str) -> Violation:
    return Violation(
        rule_id,
        path,
        f"{field} of a runtime that exists cannot be changed: the API server refuses the update.",
        "Replace the runtime: delete it, and create it again; or give the new one another name. Running TrainJobs "
        "keep their copy.",
    )
