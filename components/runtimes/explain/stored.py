"""Manifests as the API server and Trainer's Go types hold them: without fields that a release does not know, with the
defaults of the CRDs, and with quantities as Go writes them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .quantities import canonical, canonical_resources

Manifest = dict[str, Any]

_VOLUME_DEFAULTS: Mapping[str, Mapping[str, object]] = {
    "azureDisk": {"fsType": "ext4", "readOnly": False},
    "iscsi": {"iscsiInterface": "default"},
    "rbd": {"keyring": "/etc/ceph/keyring", "pool": "rbd", "user": "admin"},
    "scaleIO": {"fsType": "xfs", "storageMode": "ThinProvisioned"},
}
_POLICY_DEFAULTS: Mapping[tuple[str, ...], Mapping[str, object]] = {
    ("mlPolicy", "mpi"): {
        "mpiImplementation": "OpenMPI",
        "numProcPerNode": 1,
        "runLauncherAsNode": False,
        "sshAuthMountPath": "/root/.ssh",
    },
    ("mlPolicy", "flux"): {"numProcPerNode": 1},
    ("podGroupPolicy", "coscheduling"): {"scheduleTimeoutSeconds": 60},
    ("podGroupPolicy", "volcano", "networkTopology"): {"highestTierAllowed": 1, "mode": "hard"},
    ("template", "spec", "failurePolicy"): {"restartStrategy": "Recreate"},
}


def without_fields(manifest: Mapping[str, Any], paths: Sequence[str]) -> tuple[Manifest, tuple[str, ...]]:
    """A deep copy without the fields at `paths`, and those that it had. `[]` is any item of a list."""
    copy = _copied(manifest)
    return copy, tuple(path for path in paths if _removed(copy, path.split(".")))


def _copied(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list | tuple) else value


def _removed(value: Any, path: Sequence[str]) -> bool:
    first, *rest = path
    if first == "[]":
        # Of all items: any() alone would stop at the first.
        removed = [_removed(item, rest) for item in value] if isinstance(value, list) else []
        return any(removed)
    if not isinstance(value, dict) or first not in value:
        return False
    if rest:
        return _removed(value[first], rest)
    del value[first]
    return True


def with_runtime_defaults(runtime: Manifest, group_labels: bool) -> Manifest:
    """A runtime with the defaults of its CRD. It is changed in place."""
    spec = runtime.setdefault("spec", {})
    for path, defaults in _POLICY_DEFAULTS.items():
        owner: Any = spec
        for key in path:
            owner = owner.get(key) if isinstance(owner, dict) else None
        if isinstance(owner, dict):
            _fill(owner, defaults)
    jobset = (spec.get("template") or {}).get("spec") or {}
    for job in jobset.get("replicatedJobs") or ():
        _fill(job, {"replicas": 1, "groupName": "default"} if group_labels else {"replicas": 1})
    for policy in jobset.get("volumeClaimPolicies") or ():
        if isinstance(policy.get("retentionPolicy"), dict):
            _fill(policy["retentionPolicy"], {"whenDeleted": "Delete"})
    return runtime


def with_train_job_defaults(train_job: Manifest) -> Manifest:
    """A TrainJob with the defaults of its CRD. It is changed in place."""
    spec = train_job.setdefault("spec", {})
    _fill(spec, {"managedBy": "trainer.kubeflow.org/trainjob-controller", "suspend": False})
    _fill(spec["runtimeRef"], {"apiGroup": "trainer.kubeflow.org", "kind": "ClusterTrainingRuntime"})
    return train_job


def normalize_pod(pod: Manifest) -> None:
    """Writes the defaults of the CRDs into a pod spec, and its quantities as Go does."""
    for container in containers_of(pod):
        for port in container.get("ports") or ():
            _fill(port, {"protocol": "TCP"})
        for variable in container.get("env") or ():
            normalize_variable(variable)
        _normalize_resources(container)
    for volume in pod.get("volumes") or ():
        for source, defaults in _VOLUME_DEFAULTS.items():
            if isinstance(volume.get(source), dict):
                _fill(volume[source], defaults)
        if isinstance(empty := volume.get("emptyDir"), dict) and "sizeLimit" in empty:
            empty["sizeLimit"] = canonical(empty["sizeLimit"])
        claim = (volume.get("ephemeral") or {}).get("volumeClaimTemplate") or {}
        _normalize_resources(claim.get("spec") or {})
        for item in _downward_items(volume):
            _normalize_divisor(item.get("resourceFieldRef"))
    _normalize_resources(pod)
    if "overhead" in pod:
        pod["overhead"] = canonical_resources(pod["overhead"])


def normalize_claim(claim: Manifest) -> None:
    """Writes the quantities of a claim's spec as Go does."""
    _normalize_resources(claim)


def normalize_variable(variable: Manifest) -> None:
    """Writes the defaults of an environment variable into it."""
    if variable.get("value") == "":
        del variable["value"]
    source = variable.get("valueFrom") or {}
    _normalize_divisor(source.get("resourceFieldRef"))
    if isinstance(file := source.get("fileKeyRef"), dict):
        _fill(file, {"optional": False})


def containers_of(pod: Mapping[str, Any]) -> Iterator[Manifest]:
    """The init containers and containers of a pod spec."""
    yield from pod.get("initContainers") or ()
    yield from pod.get("containers") or ()


_MEANINGFUL = {"emptyDir", "labelSelector", "namespaceSelector", "selector"}
"""Keys whose empty objects have a meaning."""


def pruned(value: Any) -> Any:
    """A copy without other empty objects and lists: Go's types write some, and not others."""
    if isinstance(value, Mapping):
        items = {key: pruned(item) for key, item in value.items()}
        return {key: item for key, item in items.items() if key in _MEANINGFUL or item not in ({}, [], None)}
    return [pruned(item) for item in value] if isinstance(value, list | tuple) else value


def _downward_items(volume: Mapping[str, Any]) -> Iterator[Manifest]:
    yield from (volume.get("downwardAPI") or {}).get("items") or ()
    for source in (volume.get("projected") or {}).get("sources") or ():
        yield from (source.get("downwardAPI") or {}).get("items") or ()


def _normalize_divisor(reference: Manifest | None) -> None:
    if reference is not None:
        reference["divisor"] = canonical(reference.get("divisor", "0"))


def _normalize_resources(owner: Manifest) -> None:
    resources = owner.get("resources")
    if isinstance(resources, dict):
        for kind in ("limits", "requests"):
            if kind in resources:
                resources[kind] = canonical_resources(resources[kind])


def _fill(owner: Manifest, defaults: Mapping[str, object]) -> None:
    for key, value in defaults.items():
        owner.setdefault(key, value)
