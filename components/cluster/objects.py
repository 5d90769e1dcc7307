"""Objects of Trainer and JobSet: their kinds, API paths and names in messages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from ..validation.printable import printable

TRAINER = "/apis/trainer.kubeflow.org/v1alpha1"
JOBSET = "/apis/jobset.x-k8s.io/v1alpha2"

API_RESOURCES = {
    "TrainJob": (TRAINER, "trainjobs"),
    "TrainingRuntime": (TRAINER, "trainingruntimes"),
    "ClusterTrainingRuntime": (TRAINER, "clustertrainingruntimes"),
    "JobSet": (JOBSET, "jobsets"),
}
"""Group, version and plural of each kind in the API."""

CRD_KIND = {"CustomResourceDefinition": ("/apis/apiextensions.k8s.io/v1", "customresourcedefinitions")}
"""The same for CRDs."""

RUNTIME_KINDS = ("ClusterTrainingRuntime", "TrainingRuntime")
"""The kinds of runtimes."""

MAX_LISTED = 10
"""Maximum number of objects that a message lists. The others are counted."""


def collection_path(kind: str, namespace: str | None = None) -> str:
    """The path of all objects of a kind, or of those in one namespace."""
    api, plural = (API_RESOURCES | CRD_KIND)[kind]
    return f"{api}/namespaces/{namespace}/{plural}" if namespace else f"{api}/{plural}"


@dataclass(frozen=True)
class ObjectRef:
    """A reference to an object in the cluster."""

    kind: str
    """Kind, such as `TrainJob`."""

    name: str
    """Name."""

    namespace: str | None = None
    """Namespace. None for a cluster-scoped object."""

    @classmethod
    def of(cls, manifest: Mapping[str, Any], kind: str | None = None) -> Self:
        """The object that a manifest describes. Give its `kind` for items of a list, which lack it."""
        metadata = manifest["metadata"]
        return cls(kind or manifest["kind"], metadata["name"], metadata.get("namespace"))

    def __str__(self) -> str:
        """The reference in messages."""
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"

    @property
    def path(self) -> str:
        """Its path in the API."""
        return f"{collection_path(self.kind, self.namespace)}/{self.name}"


def pluralize(objects: Sequence[object], noun: str) -> str:
    """A count with its noun: `3 objects`."""
    return f"{len(objects)} {noun}" + ("" if len(objects) == 1 else "s")


def bullet_list(objects: Sequence[object]) -> str:
    """One line for each object, up to MAX_LISTED, and one line that counts the rest."""
    more = f"\n  and {len(objects) - MAX_LISTED} more" if len(objects) > MAX_LISTED else ""
    return "".join(f"\n  {printable(each)}" for each in objects[:MAX_LISTED]) + more
