"""The pods of a Job.

Source: pkg/controller/job/job_controller.go and indexed_job_utils.go, pkg/registry/batch/job/strategy.go of
k8s.io/kubernetes@v1.37.2; pkg/webhooks/pod_webhook.go of JobSet v0.12.0.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from .jobset_jobs import EXCLUSIVE, NODE_SELECTOR
from .releases import Release
from .stored import Manifest, containers_of, without_fields

JOB_UID = "<uid of the Job>"
"""Stands for what the API server chooses."""

COMPLETION_INDEX = "JOB_COMPLETION_INDEX"
ORIGIN = "Job controller"

_INDEX = "batch.kubernetes.io/job-completion-index"
_FINALIZER = "batch.kubernetes.io/job-tracking"
_PRIORITY = "jobset.sigs.k8s.io/priority"
_JOB_KEY = "jobset.sigs.k8s.io/job-key"
_MAX_PREFIX_LENGTH = 58


def is_indexed(job: Mapping[str, Any]) -> bool:
    """Whether the pods of a Job are numbered."""
    return bool(job["spec"].get("completionMode") == "Indexed")


def pod_count(job: Mapping[str, Any]) -> int:
    """How many pods a Job starts with."""
    spec = job["spec"]
    parallelism, completions = spec.get("parallelism", 1), spec.get("completions")
    return int(parallelism if completions is None else min(parallelism, completions))


def host_of(job: Mapping[str, Any], index: int) -> str | None:
    """The DNS name of a pod inside its namespace. None: it has none."""
    subdomain = job["spec"]["template"]["spec"].get("subdomain")
    return f"{job['metadata']['name']}-{index}.{subdomain}" if subdomain and is_indexed(job) else None


def with_selector(job: Mapping[str, Any]) -> Manifest:
    """A Job with what the API server adds to it: the selector, and labels of its pods."""
    stored, _ = without_fields(job, ())
    labels = stored["spec"]["template"]["metadata"].setdefault("labels", {})
    for prefix in ("", "batch.kubernetes.io/"):
        labels.setdefault(f"{prefix}job-name", stored["metadata"]["name"])
        labels.setdefault(f"{prefix}controller-uid", JOB_UID)
    selector = stored["spec"].setdefault("selector", {}).setdefault("matchLabels", {})
    selector.setdefault("batch.kubernetes.io/controller-uid", JOB_UID)
    return stored


def pods_of(release: Release, job: Mapping[str, Any]) -> Iterator[Manifest]:
    """The pods that a stored Job starts with."""
    for index in range(pod_count(job)):
        yield pod(release, job, index)


def pod(release: Release, job: Mapping[str, Any], index: int) -> Manifest:
    """The pod of that index, or any if the Job's pods are not numbered."""
    template, _ = without_fields(job["spec"]["template"], ())
    name, metadata, spec = job["metadata"]["name"], template["metadata"], template["spec"]
    finalizers = metadata.get("finalizers") or []
    metadata["finalizers"] = finalizers if _FINALIZER in finalizers else [*finalizers, _FINALIZER]
    metadata["generateName"] = f"{name}-"[:_MAX_PREFIX_LENGTH]
    metadata["namespace"] = job["metadata"]["namespace"]
    metadata.pop("name", None)
    if is_indexed(job):
        metadata["generateName"] = _prefix(name, index)
        metadata["annotations"][_INDEX] = metadata["labels"][_INDEX] = str(index)
        if "backoffLimitPerIndex" in job["spec"]:
            metadata["annotations"]["batch.kubernetes.io/job-index-failure-count"] = "0"
        spec["hostname"] = f"{name}-{index}"
        reference = {"fieldRef": {"fieldPath": f"metadata.labels['{_INDEX}']"}}
        for container in containers_of(spec):
            variables = container.setdefault("env", [])
            if all(variable["name"] != COMPLETION_INDEX for variable in variables):
                variables.append({"name": COMPLETION_INDEX, "valueFrom": reference})
    _admit(release, metadata, spec)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _prefix(name: str, index: int) -> str:
    suffix = f"-{index}-"
    return f"{name[: _MAX_PREFIX_LENGTH - len(suffix)]}{suffix}"


def _admit(release: Release, metadata: Manifest, spec: Manifest) -> None:
    """What JobSet's webhook for pods adds. The priority comes from the class, or from the cluster's default one."""
    annotations = metadata["annotations"]
    if NODE_SELECTOR in annotations:
        return
    exclusive = annotations.get(EXCLUSIVE)
    if release.priority_label or exclusive:
        given = spec.get("priorityClassName")
        metadata["labels"][_PRIORITY] = f"<priority of {given}>" if given else "0"
    if exclusive and annotations.get(_INDEX) == "0":
        _place_alone(metadata, spec, exclusive)


def _place_alone(metadata: Manifest, spec: Manifest, topology: str) -> None:
    key, priority = metadata["labels"][_JOB_KEY], metadata["labels"][_PRIORITY]
    own = [{"key": _JOB_KEY, "operator": "In", "values": [key]}]
    others = [
        {"key": _JOB_KEY, "operator": "Exists"},
        {"key": _JOB_KEY, "operator": "NotIn", "values": [key]},
        {"key": _PRIORITY, "operator": "In", "values": [priority]},
    ]
    affinity = spec.setdefault("affinity", {})
    for kind, expressions in (("podAffinity", own), ("podAntiAffinity", others)):
        term = {
            "labelSelector": {"matchExpressions": expressions},
            "topologyKey": topology,
            "namespaceSelector": {},
        }
        rules = affinity.setdefault(kind, {})
        required = "requiredDuringSchedulingIgnoredDuringExecution"
        rules[required] = [*(rules.get(required) or ()), term]
