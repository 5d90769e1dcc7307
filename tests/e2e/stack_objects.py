"""The objects of the local stack, and what the engine says that it did with them."""

import re
from typing import Any

from .conftest import Platform

OURS = {
    ("v1", "Node"): ["gpu-0", "gpu-1", "gpu-2", "gpu-3"],
    ("v1", "Namespace"): ["jobset-system", "kubeflow-system"],
    ("apps/v1", "Deployment"): ["jobset-controller", "kubeflow-trainer-controller-manager"],
    ("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime"): ["deepspeed-distributed", "mlx-distributed"],
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"): [
        "jobset-validating-webhook-configuration",
        "validator.trainer.kubeflow.org",
    ],
}

CRDS = [
    "clustertrainingruntimes.trainer.kubeflow.org",
    "jobsets.jobset.x-k8s.io",
    "trainingruntimes.trainer.kubeflow.org",
    "trainjobs.trainer.kubeflow.org",
]

TRAINJOB = {
    "apiVersion": "trainer.kubeflow.org/v1alpha1",
    "kind": "TrainJob",
    "metadata": {"name": "of-a-user", "namespace": "default"},
    "spec": {"runtimeRef": {"name": "deepspeed-distributed"}, "trainer": {"numNodes": 2, "command": ["true"]}},
}


def counts(output: str) -> dict[str, int]:
    """The engine's closing lines: how many resources were created, updated, unchanged, ..."""
    summary = output.rpartition("Resources:\n")[2].partition("\n\n")[0]
    return {what: int(number) for number, what in re.findall(r"(\d+) ([a-z ]+)", summary) if what != "changes"}


def present(platform: Platform) -> dict[tuple[str, str], list[str]]:
    """Which of the objects that the stack makes are there."""
    return {kind: sorted(set(names) & set(platform.names(*kind))) for kind, names in OURS.items()}


def trainjobs(platform: Platform) -> Any:
    return platform.cluster().resources.get(api_version=TRAINJOB["apiVersion"], kind="TrainJob")
