"""A cluster of a few objects, in memory: what is there, and what was asked."""

from collections.abc import Callable, Mapping
from typing import Any

from components.cluster_access import Answer, ClusterAccess, NoAnswer


class Cluster(ClusterAccess):
    """Objects by path; a list is what is below its path, or has its plural anywhere."""

    def __init__(self, objects: Mapping[str, Any] | None = None) -> None:
        super().__init__("here")
        self.objects: dict[str, Any] = dict(objects or {})
        self.calls: list[tuple[str, str]] = []
        self.answer: Callable[[str, Any], Answer] = lambda _path, body: Answer(201, body)
        """What it says to what would be created."""
        self.down = False

    def call(self, method: str, path: str, body: Any = None, dry_run: bool = False) -> Answer:
        if self.down:
            raise NoAnswer("the API server does not answer: refused")
        self.calls.append((f"{method} (dry run)" if dry_run else method, path))
        match method:
            case "POST":
                return self.answer(path, body)
            case "DELETE":
                return self.delete(path)
            case "PATCH":
                self.patch(path, body)
        if path in self.objects:
            return Answer(200, self.objects[path])
        below = [thing for at, thing in self.objects.items() if _listed(at, path)]
        return Answer(200, {"items": below}) if below else Answer(404, {"message": "not found"})

    def delete(self, path: str) -> Answer:
        """Deletes at once, but for what has finalizers."""
        thing = self.objects[path]
        if thing["metadata"].get("finalizers"):
            thing["metadata"]["deletionTimestamp"] = "now"
        else:
            self.objects.pop(path)
        return Answer(200, {})

    def patch(self, path: str, body: Any) -> None:
        """Takes finalizers over; the last one off lets the object go."""
        metadata = self.objects[path]["metadata"]
        metadata["finalizers"] = body["metadata"]["finalizers"]
        if not metadata["finalizers"] and "deletionTimestamp" in metadata:
            self.objects.pop(path)


def _listed(at: str, path: str) -> bool:
    folder, _, plural = path.rpartition("/")
    return at.startswith(f"{folder}/") and at.split("/")[-2] == plural


def thing(name: str, namespace: str | None = None, **fields: Any) -> dict[str, Any]:
    """An object; fields of the metadata that are given are set there."""
    inside = {key: fields.pop(key) for key in METADATA if key in fields}
    place = {"namespace": namespace} if namespace else {}
    return {"metadata": {"name": name, "resourceVersion": "1", **place, **inside}, **fields}


METADATA = ("labels", "annotations", "finalizers", "managedFields", "ownerReferences")
