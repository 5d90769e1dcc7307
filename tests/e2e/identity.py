"""Uids and revisions of objects, which show whether they were replaced or changed."""

from .conftest import Platform
from .stack_objects import OURS

KINDS = (
    ("v1", "Namespace"),
    ("v1", "Node"),
    ("apps/v1", "Deployment"),
    ("rbac.authorization.k8s.io/v1", "ClusterRole"),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
    ("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime"),
)


def uids(platform: Platform) -> dict[str, str]:
    """Every object of the kinds that a stack creates: one that is created anew has another uid."""
    found = {}
    for version, kind in KINDS:
        for item in platform.cluster().resources.get(api_version=version, kind=kind).get().items:
            found[f"{kind} {item.metadata.namespace}/{item.metadata.name}"] = item.metadata.uid
    return found


def objects(platform: Platform) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Every object of the kinds that the stack makes, with its revision."""
    found = {}
    for api_version, kind in OURS:
        items = platform.cluster().resources.get(api_version=api_version, kind=kind).get().items
        found[api_version, kind] = sorted((i.metadata.name, i.metadata.resourceVersion) for i in items)
    return found
