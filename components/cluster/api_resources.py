"""The kinds of a cluster's API and their paths, read from the API server once for each group."""

from collections.abc import Iterator, Mapping
from typing import Any

from .client import ClusterClient

CRD_GROUP = "apiextensions.k8s.io/"


class ApiResources:
    """The kinds of a cluster's API."""

    def __init__(self, access: ClusterClient) -> None:
        self._access = access
        self._answers: dict[str, Mapping[str, Any]] = {}

    def path(self, manifest: Mapping[str, Any]) -> str | None:
        """The path of the object that a manifest describes, or None if the cluster does not have the kind. Raises
        ClusterReadError."""
        version, metadata = manifest["apiVersion"], manifest["metadata"]
        if "/" in version and version not in self._versions():
            return None
        for resource in self._resources(version):
            if resource["kind"] == manifest["kind"] and "/" not in resource["name"]:
                place = f"/namespaces/{metadata.get('namespace', 'default')}" if resource["namespaced"] else ""
                return f"{_root(version)}{place}/{resource['name']}/{metadata['name']}"
        return None

    def collections(self, namespace: str) -> Iterator[tuple[str, str, str]]:
        """Each kind whose objects are namespaced and can be listed and deleted: its group, its name, and the path of
        its objects in a namespace. A kind with several versions is yielded once. Raises ClusterReadError."""
        seen: set[tuple[str, str]] = set()
        for version in ("v1", *self._versions()):
            for resource in self._resources(version):
                group = version.rpartition("/")[0]
                key = group, resource["name"]
                verbs = resource.get("verbs") or ()
                if key in seen or not resource["namespaced"] or not {"list", "delete"} <= {*verbs}:
                    continue
                seen.add(key)
                yield group, resource["kind"], f"{_root(version)}/namespaces/{namespace}/{resource['name']}"

    @staticmethod
    def is_crd(manifest: Mapping[str, Any]) -> bool:
        """Whether a manifest is a CustomResourceDefinition."""
        return bool(manifest["kind"] == "CustomResourceDefinition" and manifest["apiVersion"].startswith(CRD_GROUP))

    def _versions(self) -> list[str]:
        """The versions of all groups except the core group, each group's preferred version first."""
        return [
            version
            for group in self._answer("/apis")["groups"]
            for version in dict.fromkeys(
                each["groupVersion"] for each in (group["preferredVersion"], *group["versions"])
            )
        ]

    def _resources(self, version: str) -> list[Mapping[str, Any]]:
        return list(self._answer(_root(version))["resources"])

    def _answer(self, path: str) -> Mapping[str, Any]:
        if path not in self._answers:
            self._answers[path] = self._access.discovery(path)
        return self._answers[path]


def _root(version: str) -> str:
    return f"/apis/{version}" if "/" in version else f"/api/{version}"
