"""Where the API has a runtime."""

from collections.abc import Mapping
from typing import Any

API = "/apis/trainer.kubeflow.org/v1alpha1"

PLURALS = {"ClusterTrainingRuntime": "clustertrainingruntimes", "TrainingRuntime": "trainingruntimes"}


def path_of(manifest: Mapping[str, Any]) -> str:
    """The path of the runtime that a manifest describes."""
    metadata = manifest["metadata"]
    namespace = f"namespaces/{metadata['namespace']}/" if "namespace" in metadata else ""
    return f"{API}/{namespace}{PLURALS[manifest['kind']]}/{metadata['name']}"
