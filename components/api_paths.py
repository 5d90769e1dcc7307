"""Where the API has the objects of Trainer and JobSet."""

from collections.abc import Mapping
from typing import Any

TRAINER = "/apis/trainer.kubeflow.org/v1alpha1"
JOBSET = "/apis/jobset.x-k8s.io/v1alpha2"

PLURALS = {"ClusterTrainingRuntime": "clustertrainingruntimes", "TrainingRuntime": "trainingruntimes"}


def collection_path(api: str, plural: str, namespace: str | None) -> str:
    """The path of all objects of a kind, of one namespace where they have any."""
    return f"{api}/namespaces/{namespace}/{plural}" if namespace else f"{api}/{plural}"


def path_of(manifest: Mapping[str, Any]) -> str:
    """The path of the runtime that a manifest describes."""
    metadata = manifest["metadata"]
    return f"{collection_path(TRAINER, PLURALS[manifest['kind']], metadata.get('namespace'))}/{metadata['name']}"
