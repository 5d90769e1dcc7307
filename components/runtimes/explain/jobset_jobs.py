"""What JobSet makes of a JobSet: defaults, a headless Service, claims, and Jobs.

Source: pkg/webhooks/jobset_webhook.go, pkg/controllers/jobset_controller.go and pkg/controllers/volume_claim_policy.go
of JobSet v0.8.2, v0.11.1 and v0.12.0, with the feature gates that are on by default.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .reconciliation import NotReconciledError, pod_of
from .releases import Release
from .stored import Manifest, containers_of, pruned, without_fields

JOBSET_UID = "<uid of the JobSet>"
"""Stands for what the API server chooses."""

_PREFIX = "jobset.sigs.k8s.io"
EXCLUSIVE = f"alpha.{_PREFIX}/exclusive-topology"
NODE_SELECTOR = f"alpha.{_PREFIX}/node-selector"
_MAX_NAME_LENGTH = 63


def with_defaults(jobset: Mapping[str, Any]) -> Manifest:
    """A copy of a JobSet with what JobSet's webhook adds. Raises NotReconciledError if the webhook refuses it."""
    defaulted, _ = without_fields(jobset, ())
    spec = defaulted["spec"]
    spec.setdefault("successPolicy", {"operator": "All"})
    spec.setdefault("startupPolicy", {"startupPolicyOrder": "AnyOrder"})
    network = spec.setdefault("network", {})
    network.setdefault("enableDNSHostnames", True)
    network.setdefault("publishNotReadyAddresses", True)
    for job in spec.get("replicatedJobs") or ():
        job["template"]["spec"].setdefault("completionMode", "Indexed")
        pod_of(job).setdefault("restartPolicy", "OnFailure")
    for index, rule in enumerate((spec.get("failurePolicy") or {}).get("rules") or ()):
        if not rule.get("name"):
            rule["name"] = f"failurePolicyRule{index}"
    for policy in spec.get("volumeClaimPolicies") or ():
        policy.setdefault("retentionPolicy", {"whenDeleted": "Delete"})
    _check_names(defaulted)
    return defaulted


def _check_names(jobset: Mapping[str, Any]) -> None:
    for job in jobset["spec"].get("replicatedJobs") or ():
        name = f"{jobset['metadata']['name']}-{job['name']}-{job['replicas'] - 1}"
        spec = job["template"]["spec"]
        if spec["completionMode"] == "Indexed":
            name += f"-{spec['completions'] - 1}-abcde"
        if len(name) > _MAX_NAME_LENGTH:
            raise NotReconciledError(
                f"JobSet refuses the JobSet: names such as {name} have {len(name)} characters; the maximum is"
                f" {_MAX_NAME_LENGTH}."
            )


def subdomain_of(jobset: Mapping[str, Any]) -> str:
    """The name of the headless Service."""
    return str(jobset["spec"]["network"].get("subdomain") or jobset["metadata"]["name"])


def service_of(jobset: Mapping[str, Any]) -> Manifest | None:
    """The headless Service that gives pods their DNS names. None: the JobSet has none."""
    network = jobset["spec"]["network"]
    if not network["enableDNSHostnames"]:
        return None
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": subdomain_of(jobset), "namespace": jobset["metadata"]["namespace"]},
        "spec": {
            "clusterIP": "None",
            "selector": {f"{_PREFIX}/jobset-name": jobset["metadata"]["name"]},
            "publishNotReadyAddresses": network["publishNotReadyAddresses"],
        },
    }


def claims_of(jobset: Mapping[str, Any]) -> Iterator[Manifest]:
    """The PersistentVolumeClaims that JobSet creates."""
    metadata = jobset["metadata"]
    for template in _claim_templates(jobset):
        given = template["metadata"]
        labels = {**(given.get("labels") or {}), f"{_PREFIX}/jobset-name": metadata["name"]}
        yield pruned(
            {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "metadata": {
                    "name": f"{given['name']}-{metadata['name']}",
                    "namespace": metadata["namespace"],
                    "labels": labels,
                    "annotations": given.get("annotations"),
                },
                "spec": template.get("spec"),
            }
        )


def _claim_templates(jobset: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for policy in jobset["spec"].get("volumeClaimPolicies") or ():
        yield from policy.get("templates") or ()


def jobs_of(release: Release, jobset: Mapping[str, Any]) -> Iterator[tuple[str, Manifest]]:
    """The Jobs of a JobSet with defaults, each with the name of its replicated job."""
    jobs: Sequence[Manifest] = jobset["spec"].get("replicatedJobs") or ()
    for job in jobs:
        for index in range(job["replicas"]):
            yield job["name"], _job(release, jobset, job, index)


def _job(release: Release, jobset: Mapping[str, Any], job: Mapping[str, Any], index: int) -> Manifest:
    metadata = jobset["metadata"]
    given = job["template"].get("metadata") or {}
    spec, _ = without_fields(job["template"]["spec"], ())
    template = spec["template"]
    added = _labels(release, jobset, job, index)
    placed = _placement(metadata, given)
    name = f"{metadata['name']}-{job['name']}-{index}"
    annotations = {**(given.get("annotations") or {}), **added, **placed}
    own = template.setdefault("metadata", {})
    own["labels"] = {**(own.get("labels") or {}), **added}
    own["annotations"] = {**(own.get("annotations") or {}), **added, **placed}
    pod = template["spec"]
    if jobset["spec"]["network"]["enableDNSHostnames"]:
        pod["subdomain"] = subdomain_of(jobset)
    if EXCLUSIVE in annotations and NODE_SELECTOR in annotations:
        pod["nodeSelector"] = {
            **(pod.get("nodeSelector") or {}),
            f"alpha.{_PREFIX}/namespaced-job": f"{metadata['namespace']}_{name}",
        }
        taint = {"key": f"alpha.{_PREFIX}/no-schedule", "operator": "Exists", "effect": "NoSchedule"}
        pod["tolerations"] = [*(pod.get("tolerations") or ()), taint]
    spec["suspend"] = bool(jobset["spec"].get("suspend"))
    _add_claims(jobset, pod)
    labels = {**(given.get("labels") or {}), **added}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": name,
            "namespace": metadata["namespace"],
            "labels": labels,
            "annotations": annotations,
        },
        "spec": spec,
    }


def _labels(release: Release, jobset: Mapping[str, Any], job: Mapping[str, Any], index: int) -> dict[str, str]:
    metadata, jobs = jobset["metadata"], jobset["spec"]["replicatedJobs"]
    name = f"{metadata['name']}-{job['name']}-{index}"
    # JobSet's way to name a job in a label; nothing is protected by it.
    key = hashlib.sha1(f"{metadata['namespace']}/{name}".encode(), usedforsecurity=False).hexdigest()
    before = jobs[: [each["name"] for each in jobs].index(job["name"])]
    labels = {
        "jobset-name": metadata["name"],
        "replicatedjob-name": job["name"],
        "restart-attempt": "0",
        "replicatedjob-replicas": str(job["replicas"]),
        "global-replicas": _replicas(jobs),
        "job-index": str(index),
        "job-key": key,
        "job-global-index": str(int(_replicas(before)) + index),
    }
    if release.group_labels:
        group = job["groupName"]
        labels["jobset-uid"] = JOBSET_UID
        labels["group-name"] = group
        labels["group-replicas"] = _replicas(each for each in jobs if each["groupName"] == group)
        earlier = _replicas(each for each in before if each["groupName"] == group)
        labels["job-group-index"] = str(int(earlier) + index)
    if coordinator := jobset["spec"].get("coordinator"):
        pod = f"{coordinator.get('jobIndex', 0)}-{coordinator.get('podIndex', 0)}"
        labels["coordinator"] = f"{metadata['name']}-{coordinator['replicatedJob']}-{pod}.{subdomain_of(jobset)}"
    return {f"{_PREFIX}/{name}": value for name, value in labels.items()}


def _replicas(jobs: Any) -> str:
    return str(sum(each["replicas"] for each in jobs))


def _placement(*owners: Mapping[str, Any]) -> dict[str, str]:
    """The annotations of exclusive placement: of the JobSet, or else of the replicated job."""
    placed: dict[str, str] = {}
    for owner in owners:
        annotations = owner.get("annotations") or {}
        if EXCLUSIVE in annotations:
            placed |= {key: annotations[key] for key in (EXCLUSIVE, NODE_SELECTOR) if key in annotations}
    return placed


def _add_claims(jobset: Mapping[str, Any], pod: Manifest) -> None:
    mounted = {mount["name"] for container in containers_of(pod) for mount in container.get("volumeMounts") or ()}
    for template in _claim_templates(jobset):
        name = template["metadata"]["name"]
        if name in mounted:
            claim = {"claimName": f"{name}-{jobset['metadata']['name']}"}
            pod.setdefault("volumes", []).append({"name": name, "persistentVolumeClaim": claim})
