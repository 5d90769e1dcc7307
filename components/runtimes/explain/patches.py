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


def patch_template(template: Manifest, train_job: Mapping[str, Any]) -> tuple[Origins, VolumeOrigins]:
    """Applies the patches and overrides of a TrainJob's spec to a JobSet template, in place. Returns who sets each
    variable, by job and container, and who adds each volume that is not the runtime's, by job."""
    metadata = template.setdefault("metadata", {})
    for given in _metadata(train_job):
        for kind in ("labels", "annotations"):
            if given.get(kind):
                metadata[kind] = {**(metadata.get(kind) or {}), **given[kind]}
    jobs = (template.get("spec") or {}).get("replicatedJobs") or []
    origins: Origins = {
        (job["name"], container["name"]): dict.fromkeys(_names(container), "runtime")
        for job in jobs
        for container in containers_of(pod_of(job))
    }
    volumes: VolumeOrigins = {}
    for job in jobs:
        for patch, origin in _patches(job["name"], train_job):
            patched = ((patch.get("spec") or {}).get("template") or {}).get("spec") or {}
            volumes |= {(job["name"], volume["name"]): origin for volume in patched.get("volumes") or ()}
            before = {each["name"]: each.get("env") for each in containers_of(pod_of(job))}
            job["template"] = merge(job["template"], _as_go_writes(patch))
            for container in containers_of(pod_of(job)):
                _note(origins, job["name"], container, before.get(container["name"]), origin)
    return origins, volumes


def _metadata(train_job: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield {"labels": train_job.get("labels"), "annotations": train_job.get("annotations")}
    for patch in train_job.get("runtimePatches") or ():
        yield _template_of(patch).get("metadata") or {}


def _patches(job: str, train_job: Mapping[str, Any]) -> Iterator[tuple[Manifest, str]]:
    for override in train_job.get("podSpecOverrides") or ():
        if any(target["name"] == job for target in override["targetJobs"]):
            pod = {key: value for key, value in override.items() if key != "targetJobs"}
            yield {"spec": {"template": {"spec": pod}}}, "TrainJob podSpecOverrides"
    for patch in train_job.get("runtimePatches") or ():
        for each in (_template_of(patch).get("spec") or {}).get("replicatedJobs") or ():
            if each["name"] == job and each.get("template"):
                yield each["template"], f"TrainJob runtimePatches ({patch['manager']})"


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
