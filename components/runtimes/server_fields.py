"""Removes what a cluster adds to an object when it stores it."""

from collections.abc import Mapping
from typing import Any

from .api import IN_USE_FINALIZER

# Set by the API server alone: apimachinery's ObjectMeta.
_SERVER_METADATA = {
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
}
_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def strip_server_fields(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """A manifest without what a cluster adds to it."""
    written = {key: value for key, value in manifest.items() if key != "status"}
    if isinstance(metadata := written.get("metadata"), Mapping):
        written["metadata"] = _metadata(metadata)
    return written


def _metadata(stored: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {key: value for key, value in stored.items() if key not in _SERVER_METADATA}
    # Here the API server reads null as empty; inside the spec it drops it.
    for name in ("labels", "annotations"):
        if isinstance(pairs := metadata.get(name), Mapping):
            metadata[name] = {key: "" if value is None else value for key, value in pairs.items()}
    annotations, finalizers = metadata.get("annotations"), metadata.get("finalizers")
    if isinstance(annotations, Mapping) and _APPLIED in annotations:
        metadata["annotations"] = {key: value for key, value in annotations.items() if key != _APPLIED} or None
    if isinstance(finalizers, list | tuple) and IN_USE_FINALIZER in finalizers:
        metadata["finalizers"] = [finalizer for finalizer in finalizers if finalizer != IN_USE_FINALIZER] or None
    return metadata
