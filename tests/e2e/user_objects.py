"""Objects that users and others create beside the stack."""

from typing import Any

from .conftest import Platform
from .stack_objects import CRDS
from .submitter import TRAINJOB

API = "trainer.kubeflow.org/v1alpha1"


def crds(platform: Platform) -> list[str]:
    return [name for name in CRDS if name in platform.names("apiextensions.k8s.io/v1", "CustomResourceDefinition")]


def runtimes(platform: Platform) -> Any:
    return platform.cluster().resources.get(api_version=API, kind="ClusterTrainingRuntime")


def of_others(name: str) -> dict[str, Any]:
    """A runtime that someone else makes."""
    pod = {"containers": [{"name": "node"}]}
    job = {"name": "node", "replicas": 1, "template": {"spec": {"template": {"spec": pod}}}}
    return {
        "apiVersion": API,
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": name},
        "spec": {"template": {"spec": {"replicatedJobs": [job]}}},
    }


def suspended() -> dict[str, Any]:
    """A TrainJob that waits."""
    spec: dict[str, Any] = TRAINJOB["spec"]
    return {**TRAINJOB, "spec": {**spec, "suspend": True}}
