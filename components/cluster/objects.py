"""Objects of Trainer and JobSet: which kinds there are, where the API has them, how messages name them."""

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
"""Where the API has the objects of a kind: its group and version, and their plural."""

CRD_KIND = {"CustomResourceDefinition": ("/apis/apiextensions.k8s.io/v1", "customresourcedefinitions")}
"""Where it has CRDs."""

RUNTIME_KINDS = ("ClusterTrainingRuntime", "TrainingRuntime")
"""The kinds of runtimes."""

MAX_LISTED = 10
"""Objects that a message names; the others it counts."""


def collection_path(kind: str, namespace: str | None = None) -> str:
    """The path of all objects of a kind, of those in one namespace where it is given."""
    api, plural = (API_RESOURCES | CRD_KIND)[kind]
    return f"{api}/namespaces/{namespace}/{plural}" if namespace else f"{api}/{plural}"


@dataclass(frozen=True)
class ObjectRef:
    """One object in the cluster, by its name."""

    kind: str
    """`TrainJob`."""

    name: str
    """Its name."""

    namespace: str | None = None
    """Its namespace. None: it has none."""

    @classmethod
    def of(cls, manifest: Mapping[str, Any], kind: str | None = None) -> Self:
        """The one that a manifest describes. The items of a list do not say their `kind`."""
        metadata = manifest["metadata"]
        return cls(kind or manifest["kind"], metadata["name"], metadata.get("namespace"))

    def __str__(self) -> str:
        """As a message names it."""
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"

    @property
    def path(self) -> str:
        """Where the API has it."""
        return f"{collection_path(self.kind, self.namespace)}/{self.name}"


def pluralize(objects: Sequence[object], noun: str) -> str:
    """`3 objects`."""
    return f"{len(objects)} {noun}" + ("" if len(objects) == 1 else "s")


def bullet_list(objects: Sequence[object]) -> str:
    """A line for each of the first, and one for the rest."""
    more = f"\n  and {len(objects) - MAX_LISTED} more" if len(objects) > MAX_LISTED else ""
    return "".join(f"\n  {printable(each)}" for each in objects[:MAX_LISTED]) + more
