"""A stack rendered to a folder, and applied by a client to a fresh cluster: the objects that `up` makes."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes import dynamic
from kubernetes.client import ApiException

from .conftest import Platform
from .other_states import use_state_of

DEADLINE = 90.0
RENDERED = [
    ("ClusterRole", "jobset-controller"),
    ("ClusterRole", "jobset-jobset-editor-role"),
    ("ClusterRole", "jobset-jobset-viewer-role"),
    ("ClusterRole", "jobset-metrics-reader"),
    ("ClusterRole", "jobset-proxy-role"),
    ("ClusterRole", "kubeflow-trainer-controller-manager"),
    ("ClusterRoleBinding", "jobset-controller"),
    ("ClusterRoleBinding", "jobset-metrics-reader-rolebinding"),
    ("ClusterRoleBinding", "jobset-proxy-rolebinding"),
    ("ClusterRoleBinding", "kubeflow-trainer-controller-manager"),
    ("ClusterTrainingRuntime", "deepspeed-distributed"),
    ("ClusterTrainingRuntime", "mlx-distributed"),
    ("ConfigMap", "jobset-controller-config"),
    ("ConfigMap", "kubeflow-trainer-config"),
    ("ConfigMap", "kubeflow-trainer-public"),
    ("CustomResourceDefinition", "clustertrainingruntimes.trainer.kubeflow.org"),
    ("CustomResourceDefinition", "jobsets.jobset.x-k8s.io"),
    ("CustomResourceDefinition", "trainingruntimes.trainer.kubeflow.org"),
    ("CustomResourceDefinition", "trainjobs.trainer.kubeflow.org"),
    ("Deployment", "jobset-controller"),
    ("Deployment", "kubeflow-trainer-controller-manager"),
    ("MutatingWebhookConfiguration", "defaulter.trainer.kubeflow.org"),
    ("MutatingWebhookConfiguration", "jobset-mutating-webhook-configuration"),
    ("Namespace", "jobset-system"),
    ("Namespace", "kubeflow-system"),
    ("Role", "jobset-leader-election-role"),
    ("Role", "jobset-manager-secrets-role"),
    ("Role", "kubeflow-trainer-public"),
    ("RoleBinding", "jobset-leader-election-rolebinding"),
    ("RoleBinding", "jobset-manager-secrets-rolebinding"),
    ("RoleBinding", "kubeflow-trainer-public"),
    ("Secret", "jobset-webhook-server-cert"),
    ("Secret", "kubeflow-trainer-webhook-cert"),
    ("Service", "jobset-metrics-service"),
    ("Service", "jobset-webhook-service"),
    ("Service", "kubeflow-trainer-controller-manager"),
    ("ServiceAccount", "jobset-controller"),
    ("ServiceAccount", "kubeflow-trainer-controller-manager"),
    ("ValidatingWebhookConfiguration", "jobset-validating-webhook-configuration"),
    ("ValidatingWebhookConfiguration", "validator.trainer.kubeflow.org"),
]
OF_THE_SERVER = (
    *("creationTimestamp", "generation", "managedFields", "resourceVersion", "uid", "annotations"),
    "finalizers",  # of a Trainer whose runtime is in use
)


def manifests(folder: Path) -> dict[str, dict[str, Any]]:
    """Each manifest by its path, in order."""
    files = sorted(folder.rglob("*.yaml"))
    return {str(file.relative_to(folder)): yaml.safe_load(file.read_text()) for file in files}


def sync(cluster: dynamic.DynamicClient, waiting: list[dict[str, Any]]) -> None:
    """Applies all as `kubectl apply --server-side` does, and what is refused again, as GitOps controllers do it."""
    deadline = time.monotonic() + DEADLINE
    while waiting:
        refused = [manifest for manifest in waiting if not applied(cluster, manifest, time.monotonic() > deadline)]
        if len(refused) == len(waiting):
            time.sleep(0.5)  # controllers start
        waiting = refused


def applied(cluster: dynamic.DynamicClient, manifest: dict[str, Any], must: bool) -> bool:
    """Whether the cluster takes the manifest; if it must, what it says against it is raised."""
    try:
        resource = cluster.resources.get(api_version=manifest["apiVersion"], kind=manifest["kind"])
        cluster.server_side_apply(resource, manifest, field_manager="gitops", **place(manifest))
    except (ApiException, dynamic.exceptions.DynamicApiError, dynamic.exceptions.ResourceNotFoundError):
        if must:
            raise
        cluster.resources.invalidate_cache()
        return False
    return True


def place(manifest: dict[str, Any]) -> dict[str, str]:
    metadata = manifest["metadata"]
    return {key: metadata[key] for key in ("name", "namespace") if key in metadata}


def found(platform: Platform, manifest: dict[str, Any]) -> str:
    """The object that a manifest is about, without what the cluster and the controllers write into it."""
    kind = platform.cluster().resources.get(api_version=manifest["apiVersion"], kind=manifest["kind"])
    item = kind.get(**place(manifest)).to_dict()
    item.pop("status", None)
    item["metadata"] = {key: value for key, value in item["metadata"].items() if key not in OF_THE_SERVER}
    if manifest["kind"] == "Secret":
        item.pop("data", None)
    for address in ("clusterIP", "clusterIPs"):
        item.get("spec", {}).pop(address, None)
    for webhook in item.get("webhooks", ()):
        webhook["clientConfig"].pop("caBundle", None)
    return json.dumps(without_empty_metadata(item), sort_keys=True)


def without_empty_metadata(value: Any) -> Any:
    """What Trainer writes into a runtime where nothing was, when it puts its finalizer there."""
    if isinstance(value, list):
        return [without_empty_metadata(item) for item in value]
    if isinstance(value, dict):
        return {key: without_empty_metadata(inner) for key, inner in value.items() if (key, inner) != ("metadata", {})}
    return value


def render(checkout: Platform, folder: str) -> None:
    """The checkout's local stack as manifests. Nodes are none: the pool is that of the stack which was brought up."""
    content = yaml.safe_load(checkout.stack_file.read_text())
    content["config"]["training-platform:cluster"] = {"renderTo": folder}
    pool = {"provider": "stack", "stack": "organization/training-platform/local"}
    content["config"]["training-platform:gpuNodePools"] = {"gpu": pool}
    (checkout.project / "stacks" / "Pulumi.rendered.yaml").write_text(yaml.safe_dump(content))
    checkout.succeed("up", "--stack", "rendered", "--yes")


def test_rendered_manifests_create_the_same_objects_as_up(
    platform: Platform, checkout: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_state_of(platform, monkeypatch)
    checkout.succeed("start")
    render(checkout, "manifests")
    rendered = manifests(checkout.project / "manifests")
    assert sorted((each["kind"], each["metadata"]["name"]) for each in rendered.values()) == RENDERED
    render(checkout, "again")
    assert manifests(checkout.project / "again") == rendered

    sync(checkout.cluster(), [*rendered.values()])
    for path, manifest in rendered.items():
        assert found(checkout, manifest) == found(platform, manifest), path
