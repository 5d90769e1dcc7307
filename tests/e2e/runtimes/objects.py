"""What Trainer and JobSet make from a runtime, as far as the API server looks at it."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from components.runtimes.api import BaseTrainingRuntime
from components.runtimes.topology import ANCESTOR_STEP

Part = dict[str, Any]

TRAINERS_VOLUMES = {"node": ("mpi-ssh-auth",), "launcher": ("mpi-ssh-auth", "mpi-hostfile")}
"""What Trainer adds for MPI, by the job."""

LABELS = {"batch.kubernetes.io/job-name": "made", "jobset.sigs.k8s.io/jobset-name": "made"}
"""Some of those that pods get."""

OTHER_OBJECTS: dict[str, tuple[str, ...]] = {
    "serviceAccountName": (),
    "priorityClassName": ("priority", "preemptionPolicy"),
    "runtimeClassName": ("overhead",),
}
"""Names in a pod of objects that must be there before it, which here they aren't; and what must be as these say."""


def objects_of(runtime: BaseTrainingRuntime) -> Iterator[Part]:
    """The JobSet of a TrainJob that says nothing itself, and its claims; a Job of each kind, and a pod of each.

    With the number of pods, the defaults and the volumes that Trainer 2.3.0 and JobSet 0.12.0 add, and the JobSet
    without the empty lists that Trainer leaves out.
    """
    spec = runtime.to_manifest()["spec"]
    template, nodes = spec["template"], spec.get("mlPolicy", {}).get("numNodes", 1)
    jobset = template["spec"]
    yield _made("jobset.x-k8s.io/v1alpha2", "JobSet", _without_empty_lists(template))
    claims = [claim for policy in jobset.get("volumeClaimPolicies", ()) for claim in policy["templates"]]
    for claim in claims:
        yield _made("v1", "PersistentVolumeClaim", claim)
    for replicated_job in jobset["replicatedJobs"]:
        job = _job(replicated_job, nodes, {claim["metadata"].get("name", "") for claim in claims})
        yield _made("batch/v1", "Job", job)
        yield _pod(job["spec"]["template"])


def _without_empty_lists(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_empty_lists(item) for item in value]
    if isinstance(value, dict):
        return {name: _without_empty_lists(inner) for name, inner in value.items() if inner != []}
    return value


def _made(api_version: str, kind: str, template: Part) -> Part:
    metadata = {name: template.get("metadata", {}).get(name, {}) for name in ("labels", "annotations")}
    spec = template.get("spec", {})
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "made", **metadata}, "spec": spec}


def _job(replicated_job: Part, nodes: int, claims: set[str]) -> Part:
    job: Part = deepcopy(replicated_job["template"])
    trains = job.get("metadata", {}).get("labels", {}).get(ANCESTOR_STEP) == "trainer"
    spec = job.get("spec", {})
    pods = nodes if trains else max(1, spec.get("parallelism", 1))
    job["spec"] = {"completionMode": "Indexed", "template": {}, **spec, "parallelism": pods, "completions": pods}
    pod = job["spec"]["template"].setdefault("spec", {})
    pod["restartPolicy"] = pod.get("restartPolicy") or "OnFailure"
    containers = [*pod.get("containers", ()), *pod.get("initContainers", ())]
    used = {each["name"] for container in containers for each in _volumes_of(container)}
    used -= {volume["name"] for volume in pod.get("volumes", ())}
    of_trainer = used.intersection(TRAINERS_VOLUMES.get(replicated_job["name"], ()))
    added = [{"name": name, "emptyDir": {}} for name in sorted(of_trainer)]
    added += [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in sorted(used & claims)]
    if added:
        pod["volumes"] = [*pod.get("volumes", ()), *added]
    return job


def _pod(template: Part) -> Part:
    pod = _made("v1", "Pod", template)
    pod["metadata"]["labels"] = pod["metadata"]["labels"] | LABELS
    named = [name for name in OTHER_OBJECTS if pod["spec"].get(name)]
    left_out = {*named, *(field for name in named for field in OTHER_OBJECTS[name])}
    return pod | {"spec": {name: value for name, value in pod["spec"].items() if name not in left_out}}


def _volumes_of(container: Part) -> list[Part]:
    return [*container.get("volumeMounts", ()), *container.get("volumeDevices", ())]
