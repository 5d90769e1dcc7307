"""Updates that the API server rejects, and similar ones that it admits."""

from typing import Any

from .samples import JOBSET, job

CLAIMS = [{"templates": [{"metadata": {"name": "a"}, "spec": {"accessModes": ["ReadWriteMany"]}}]}]

ANY_ORDER, IN_ORDER = ({"startupPolicyOrder": order} for order in ("AnyOrder", "InOrder"))

READY, COMPLETE = ([{"name": "helper", "status": status}] for status in ("Ready", "Complete"))

DEPENDS_ON = f"{job(1)}.dependsOn"

CHANGES: list[tuple[str, str, Any, Any]] = [
    ("UPD-01", f"{JOBSET}.network", {"publishNotReadyAddresses": True}, {"publishNotReadyAddresses": False}),
    ("UPD-01", f"{JOBSET}.network", {}, {"publishNotReadyAddresses": True}),
    ("UPD-02", f"{JOBSET}.successPolicy", {"operator": "All"}, {"operator": "Any"}),
    ("UPD-03", f"{JOBSET}.failurePolicy", {"maxRestarts": 1}, {"maxRestarts": 2}),
    ("UPD-03", f"{JOBSET}.failurePolicy", {}, {"restartStrategy": "BlockingRecreate"}),
    ("UPD-04", f"{JOBSET}.startupPolicy", ANY_ORDER, IN_ORDER),
    ("UPD-05", f"{JOBSET}.volumeClaimPolicies", CLAIMS, []),
    ("UPD-06", DEPENDS_ON, READY, COMPLETE),
]
"""Rule, path, value before and after."""
