"""In which order the objects of a TrainJob are created.

Source: reconcileReplicatedJobs in pkg/controllers/jobset_controller.go of JobSet v0.8.2, v0.11.1 and v0.12.0.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from .explanation import Step

_STATES = {"Ready": "all pods of {} are ready", "Complete": "all jobs of {} have succeeded"}


def creation_order(jobset: Mapping[str, Any], applied: tuple[Mapping[str, Any], ...]) -> Iterator[Step]:
    """What is created, and what each waits for."""
    others = [f"{each['kind']} {each['metadata']['name']}" for each in applied[1:]]
    yield Step(", ".join([f"JobSet {jobset['metadata']['name']}", *others]), "")
    spec = jobset["spec"]
    created: list[str] = []
    if spec["network"]["enableDNSHostnames"]:
        created.append(f"Service {spec['network'].get('subdomain') or jobset['metadata']['name']}")
    claims = [
        f"PersistentVolumeClaim {template['metadata']['name']}-{jobset['metadata']['name']}"
        for policy in spec.get("volumeClaimPolicies") or ()
        for template in policy.get("templates") or ()
    ]
    if created or claims:
        yield Step(", ".join([*created, *claims]), "the JobSet exists")
    earlier: list[str] = []
    in_order = spec["startupPolicy"]["startupPolicyOrder"] == "InOrder" and not spec.get("suspend")
    for job in spec.get("replicatedJobs") or ():
        gates = [_STATES[each["status"]].format(each["name"]) for each in job.get("dependsOn") or ()]
        if in_order and earlier:
            gates = [f"all pods of {earlier[-1]} are ready or have ended"]
        suspended = ["spec.suspend of the TrainJob becomes false, for its pods"] if spec.get("suspend") else []
        yield Step(_job(jobset, job), " and ".join([*gates, *suspended]) or "the JobSet exists")
        earlier.append(job["name"])
    targets = (spec["successPolicy"].get("targetReplicatedJobs")) or earlier
    count = "one job" if spec["successPolicy"]["operator"] == "Any" else "all jobs"
    yield Step("the TrainJob is Complete", f"{count} of {', '.join(targets)} succeeded")


def _job(jobset: Mapping[str, Any], job: Mapping[str, Any]) -> str:
    name = f"{jobset['metadata']['name']}-{job['name']}"
    count, pods = job["replicas"], job["template"]["spec"].get("parallelism", 1)
    jobs = f"Job {name}-0" if count == 1 else f"{count} Jobs {name}-0 to {name}-{count - 1}"
    return f"{jobs} with {pods} {'pod' if pods == 1 else 'pods'}" + ("" if count == 1 else " each")
