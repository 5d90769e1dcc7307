"""What a TrainJob changes in the template of its runtime.

Source: newRuntimeInfo, mergePodSpecOverrides (v2.0.0) and mergeRuntimePatches (v2.2.0, v2.3.0) in
pkg/runtime/core/trainingruntime.go of Trainer.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from .reconciliation import pod_of
from .stored import Manifest, containers_of
from .strategic_merge import merge

Origins = dict[tuple[str, str], dict[str, str]]
VolumeOrigins = dict[tuple[str, str], str]


def patch_template(template: Manifest, train_job: Mapping[str, Any], adds_jobs: bool) -> tuple[Origins, VolumeOrigins]:
    """Applies the patches and overrides of a TrainJob's spec to a JobSet template, in place. `adds_jobs`: whether a
    patch of a job that the template does not have adds it. Returns who sets each variable, by job and container, and
    who adds each volume that is not the runtime's, by job."""
    metadata = template.setdefault("metadata", {})
    for given in _metadata(train_job):
        for kind in ("labels", "annotations"):
            if given.get(kind):
                metadata[kind] = {**(metadata.get(kind) or {}), **given[kind]}
    spec = template.get("spec") or {}
    jobs = spec.get("replicatedJobs") or []
    order = {job["name"]: index for index, job in enumerate(jobs)}
    origins: Origins = {
        (job["name"], container["name"]): dict.fromkeys(_names(container), "runtime")
        for job in jobs
        for container in _containers(job)
    }
    volumes: VolumeOrigins = {}
    for patches, origin in _job_patches(train_job):
        known = [patch for patch in patches if adds_jobs or patch["name"] in order]
        before = {(job["name"], each["name"]): each.get("env") for job in jobs for each in _containers(job)}
        jobs = merge({"replicatedJobs": jobs}, {"replicatedJobs": [_as_go_writes(patch) for patch in known]})[
            "replicatedJobs"
        ]
        for job in jobs:
            if job["name"] not in order:
                job.update({"replicas": 1, "groupName": "default", "template": {}, **job})
            for container in _containers(job):
                _note(origins, job["name"], container, before.get((job["name"], container["name"])), origin)
        volumes |= {(patch["name"], volume["name"]): origin for patch in known for volume in _volumes(patch)}
    if jobs:
        # As Trainer sorts them: a job that is added counts as the first.
        spec["replicatedJobs"] = sorted(jobs, key=lambda job: order.get(job["name"], 0))
    return origins, volumes


def _metadata(train_job: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield {"labels": train_job.get("labels"), "annotations": train_job.get("annotations")}
    for patch in train_job.get("runtimePatches") or ():
        yield _template_of(patch).get("metadata") or {}


def _job_patches(train_job: Mapping[str, Any]) -> Iterator[tuple[list[Manifest], str]]:
    """The changes of replicated jobs that are applied together, one after the other, and who wants them."""
    for override in train_job.get("podSpecOverrides") or ():
        pod = {key: value for key, value in override.items() if key != "targetJobs"}
        template = {"spec": {"template": {"spec": pod}}}
        targets = [{"name": target["name"], "template": template} for target in override["targetJobs"]]
        yield targets, "TrainJob podSpecOverrides"
    for patch in train_job.get("runtimePatches") or ():
        changed = (_template_of(patch).get("spec") or {}).get("replicatedJobs")
        yield list(changed or ()), f"TrainJob runtimePatches ({patch['manager']})"


def _volumes(patch: Manifest) -> list[Manifest]:
    job = (patch.get("template") or {}).get("spec") or {}
    return list(((job.get("template") or {}).get("spec") or {}).get("volumes") or ())


def _containers(job: Manifest) -> list[Manifest]:
    return list(containers_of(pod_of(job)))


def _template_of(patch: Mapping[str, Any]) -> Mapping[str, Any]:
    return (patch.get("trainingRuntimeSpec") or {}).get("template") or {}


def _as_go_writes(patch: Any) -> Any:
    """A patch without what Go's types leave out: empty values, and read-only mounts that are not. They change
    nothing, where a patch in JSON would."""
    if isinstance(patch, Mapping):
        items = {key: _as_go_writes(value) for key, value in patch.items()}
        return {key: value for key, value in items.items() if not _is_left_out(key, value)}
    return [_as_go_writes(item) for item in patch] if isinstance(patch, list) else patch


def _is_left_out(key: str, value: object) -> bool:
    return (key == "value" and value == "") or (key == "readOnly" and value is False) or value == []


def _names(container: Mapping[str, Any]) -> list[str]:
    return [variable["name"] for variable in container.get("env") or ()]


def _note(origins: Origins, job: str, container: Mapping[str, Any], before: Any, origin: str) -> None:
    known = {variable["name"]: variable for variable in before or ()}
    for variable in container.get("env") or ():
        if known.get(variable["name"]) != variable:
            origins.setdefault((job, container["name"]), {})[variable["name"]] = origin
