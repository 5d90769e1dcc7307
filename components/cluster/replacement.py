"""The check before an object is deleted to be replaced: would the API server create its successor?"""

from collections.abc import Mapping
from typing import Any

from ..validation.violation import Violation
from .client import ClusterClient, ClusterReadError
from .hook_error import PreflightError

PROBE_NAME = "training-platform-probe"
"""Name of the objects in dry runs. They are never created."""

ALLOCATED = ("clusterIP", "clusterIPs", "healthCheckNodePort")
"""Fields of a Service that the existing object occupies. A second Service with the same values would be rejected."""


def require_successor(access: ClusterClient, collection: str, manifest: Mapping[str, Any], what: str, key: str) -> None:
    """Raise PreflightError unless the API server would create the object. The existing object is kept then.

    A dry run checks this under another name, because the existing object has the name.

    Args:
        access: The cluster.
        collection: Path of the objects of this kind.
        manifest: The successor.
        what: Name of the object in messages.
        key: The user's key for messages.
    """
    try:
        answer = access.request("POST", collection, _under_another_name(manifest), dry_run=True)
        why = None if answer.ok else answer.message
    except ClusterReadError as error:
        why = str(error)
    if why:
        message = f"{what} was not replaced, because its successor would be rejected: {why}."
        fix = "Fix the cause, and run this again. The existing object is kept."
        raise PreflightError([Violation("OPR-17", key, message, fix)])


def _under_another_name(manifest: Mapping[str, Any]) -> dict[str, Any]:
    asked = {**manifest, "metadata": {**manifest["metadata"], "name": PROBE_NAME}}
    if manifest["kind"] == "Service":
        spec = {key: value for key, value in (manifest.get("spec") or {}).items() if key not in ALLOCATED}
        ports = [{key: value for key, value in port.items() if key != "nodePort"} for port in spec.get("ports") or ()]
        asked["spec"] = {**spec, "ports": ports}
    return asked
