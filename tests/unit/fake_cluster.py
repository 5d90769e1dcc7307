"""A cluster of a few objects, in memory: what is there, and what was asked."""

from collections.abc import Callable, Mapping
from typing import Any

from components.cluster.client import CRDS, ClusterClient, ClusterReadError, Response


class Cluster(ClusterClient):
    """Objects by path; a list is what is below its path, or has its plural anywhere.

    It answers as an API server does: with `kind` and `apiVersion`, a Status for what is not there, and no Status for
    what is of a group whose CRDs are not there. A CRD is there as soon as one of its objects is, or its own.
    """

    def __init__(self, objects: Mapping[str, Any] | None = None) -> None:
        super().__init__("here")
        self.objects: dict[str, Any] = dict(objects or {})
        self.calls: list[tuple[str, str]] = []
        self.answer: Callable[[str, Any], Response] = lambda _path, body: Response(201, body)
        """What it says to what would be created."""
        self.down = False
        self.discovery_answers = DISCOVERY
        """What it says of its kinds, by path."""

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        dry_run: bool = False,
        query: Mapping[str, str] | None = None,  # noqa: ARG002 - there is one page
    ) -> Response:
        if self.down:
            raise ClusterReadError("the API server does not answer: refused")
        self.calls.append((f"{method} (dry run)" if dry_run else method, path))
        match method:
            case "POST":
                return self.answer(path, body)
            case "DELETE":
                return self.remove(path, (body or {}).get("preconditions", {}))
            case "PATCH":
                self.patch(path, body)
        known = {"/version": {"gitVersion": ""}, **self.objects, **self.discovery_answers}
        if path == "/version" or path in self.discovery_answers:
            return Response(200, known[path])
        if path in self.objects:
            return Response(200, {"apiVersion": _version(path), "kind": "Thing", **self.objects[path]})
        below = [thing for at, thing in self.objects.items() if _listed(at, path)]
        if below or _is_list_of_kubernetes(path) or f"{CRDS}/{_crd(path)}" in self.objects:
            kind = {"apiVersion": _version(path), "kind": "ThingList", "metadata": {}}
            return Response(200, {**kind, "items": below})
        return _absent(path) if _has_name(path) else Response(404, {})

    def remove(self, path: str, preconditions: Mapping[str, str]) -> Response:
        """Deletes at once, but for what has finalizers; nothing that is not what the preconditions say."""
        thing = self.objects.get(path)
        if thing is None:
            return _absent(path)
        metadata = thing["metadata"]
        if preconditions != {key: metadata[key] for key in ("uid", "resourceVersion")}:
            return Response(
                409, {"kind": "Status", "apiVersion": "v1", "reason": "Conflict", "message": "Precondition"}
            )
        if metadata.get("finalizers"):
            metadata["deletionTimestamp"] = "now"
        else:
            self.objects.pop(path)
        return Response(200, {"kind": "Status", "apiVersion": "v1", "status": "Success"})

    def patch(self, path: str, body: Any) -> None:
        """Takes finalizers over; the last one off lets the object go."""
        metadata = self.objects[path]["metadata"]
        metadata["finalizers"] = body["metadata"]["finalizers"]
        if not metadata["finalizers"] and "deletionTimestamp" in metadata:
            self.objects.pop(path)


def _crd(path: str) -> str | None:
    """The CRD of the objects of a list."""
    parts = path.strip("/").split("/")
    return f"{parts[-1]}.{parts[1]}" if not _has_name(path) else None


def _kind(kind: str, name: str, namespaced: bool = True) -> dict[str, Any]:
    return {"kind": kind, "name": name, "namespaced": namespaced, "verbs": ["list", "delete"]}


def _group(name: str, version: str) -> dict[str, Any]:
    served = {"groupVersion": f"{name}/{version}", "version": version}
    return {"name": name, "versions": [served], "preferredVersion": served}


DISCOVERY: dict[str, Any] = {
    "/api/v1": {
        "resources": [
            _kind("Namespace", "namespaces", False),
            _kind("ConfigMap", "configmaps"),
            _kind("Secret", "secrets"),
            _kind("ServiceAccount", "serviceaccounts"),
            _kind("Event", "events"),
            {**_kind("Pod", "pods"), "verbs": ["list", "delete", "get"]},
            {**_kind("Pod", "pods/log"), "verbs": ["get"]},
        ]
    },
    "/apis": {
        "groups": [
            _group("apps", "v1"),
            _group("rbac.authorization.k8s.io", "v1"),
            _group("apiextensions.k8s.io", "v1"),
            _group("trainer.kubeflow.org", "v1alpha1"),
            _group("jobset.x-k8s.io", "v1alpha2"),
        ]
    },
    "/apis/apps/v1": {"resources": [_kind("Deployment", "deployments")]},
    "/apis/rbac.authorization.k8s.io/v1": {"resources": [_kind("ClusterRole", "clusterroles", False)]},
    "/apis/apiextensions.k8s.io/v1": {
        "resources": [_kind("CustomResourceDefinition", "customresourcedefinitions", False)]
    },
    "/apis/trainer.kubeflow.org/v1alpha1": {
        "resources": [
            _kind("TrainJob", "trainjobs"),
            _kind("TrainingRuntime", "trainingruntimes"),
            _kind("ClusterTrainingRuntime", "clustertrainingruntimes", False),
        ]
    },
    "/apis/jobset.x-k8s.io/v1alpha2": {"resources": [_kind("JobSet", "jobsets")]},
}
"""What the API server says of its kinds."""


def _listed(at: str, path: str) -> bool:
    folder, _, plural = path.rpartition("/")
    return at.startswith(f"{folder}/") and at.split("/")[-2] == plural


def _below_version(path: str) -> list[str]:
    parts = path.strip("/").split("/")
    below = parts[3 if parts[0] == "apis" else 2 :]
    return below[2:] if below[0] == "namespaces" and len(below) > 2 else below


def _has_name(path: str) -> bool:
    return len(_below_version(path)) > 1


def _is_list_of_kubernetes(path: str) -> bool:
    parts = path.strip("/").split("/")
    return not _has_name(path) and (parts[0] == "api" or "." not in parts[1] or parts[1].endswith(".k8s.io"))


def _version(path: str) -> str:
    parts = path.strip("/").split("/")
    return "/".join(parts[1:3] if parts[0] == "apis" else parts[1:2])


def _absent(path: str) -> Response:
    parts = path.strip("/").split("/")
    plural, name = _below_version(path)[:2]
    details = {"name": name, "kind": plural, **({"group": parts[1]} if parts[0] == "apis" else {})}
    status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}
    return Response(404, {**status, "message": f'{plural} "{name}" not found', "details": details})


def thing(name: str, namespace: str | None = None, **fields: Any) -> dict[str, Any]:
    """An object; fields of the metadata that are given are set there."""
    inside = {key: fields.pop(key) for key in METADATA if key in fields}
    place = {"namespace": namespace} if namespace else {}
    return {"metadata": {"name": name, "uid": f"uid of {name}", "resourceVersion": "1", **place, **inside}, **fields}


METADATA = (
    *("uid", "resourceVersion", "deletionTimestamp"),
    *("labels", "annotations", "finalizers", "managedFields", "ownerReferences"),
)
