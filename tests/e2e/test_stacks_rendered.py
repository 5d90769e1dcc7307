"""A stack rendered to a folder, and applied by a client to a fresh cluster: the objects that `up` makes."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes import dynamic
from kubernetes.dynamic.exceptions import ApiException

from .conftest import Platform
from .test_stacks_of_teams import use_state_of

DEADLINE = 90.0
OF_THE_SERVER = ("creationTimestamp", "generation", "managedFields", "resourceVersion", "uid", "annotations")


def manifests(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each manifest with its path, in the order in which Argo CD and Flux apply them: CRDs and namespaces first."""
    read = {str(file.relative_to(folder)): yaml.safe_load(file.read_text()) for file in folder.rglob("*.yaml")}
    yield from sorted(read.items(), key=lambda each: (each[1]["kind"] != "Namespace", each[0]))


def apply(cluster: dynamic.DynamicClient, manifest: dict[str, Any], deadline: float) -> None:
    """As `kubectl apply --server-side` does it, again and again until the cluster is ready for it."""
    while True:
        try:
            resource = cluster.resources.get(api_version=manifest["apiVersion"], kind=manifest["kind"])
            cluster.server_side_apply(resource, manifest, field_manager="gitops", **place(manifest))
            return
        except (ApiException, dynamic.exceptions.ResourceNotFoundError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)
            cluster.resources.invalidate_cache()


def place(manifest: dict[str, Any]) -> dict[str, str]:
    metadata = manifest["metadata"]
    return {key: metadata[key] for key in ("name", "namespace") if key in metadata}


def found(platform: Platform, manifest: dict[str, Any]) -> Any:
    """The object that a manifest is about, without what the cluster and the controllers write into it."""
    kind = platform.cluster().resources.get(api_version=manifest["apiVersion"], kind=manifest["kind"])
    item = kind.get(**place(manifest)).to_dict()
    item.pop("status", None)
    item["metadata"] = {key: value for key, value in item["metadata"].items() if key not in OF_THE_SERVER}
    if manifest["kind"] == "Secret":
        item.pop("data", None)
    for webhook in item.get("webhooks", ()):
        webhook["clientConfig"].pop("caBundle", None)
    # Controllers of two clusters on one machine listen on ports of their own.
    return json.loads(json.dumps(item), parse_int=lambda number: "port" if number in ports(platform) else int(number))


def ports(platform: Platform) -> set[str]:
    """Those that this checkout's charts were given."""
    values = [yaml.safe_load(file.read_text()) for file in platform.project.glob(".local/charts/*/values.yaml")]
    return {str(chart[key]) for chart in values for key in ("webhookPort", "healthPort")}


def test_rendered_manifests_make_the_objects_that_up_makes(
    platform: Platform, checkout: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_state_of(platform, monkeypatch)
    content = yaml.safe_load(checkout.stack_file.read_text())
    content["config"]["training-platform:cluster"] = {"renderTo": "manifests"}
    # Nodes are no manifests. The pool is that of the stack which was brought up.
    pool = {"provider": "stack", "stack": "organization/training-platform/local"}
    content["config"]["training-platform:gpuNodePools"] = {"gpu": pool}
    (checkout.project / "stacks" / "Pulumi.rendered.yaml").write_text(yaml.safe_dump(content))
    checkout.succeed("start")

    folder = checkout.project / "manifests"
    checkout.succeed("up", "--stack", "rendered", "--yes")
    rendered = [*manifests(folder)]
    print([(path, each["kind"]) for path, each in rendered])
    checkout.succeed("destroy", "--stack", "rendered", "--yes")
    assert [*manifests(folder)] == []
    checkout.succeed("up", "--stack", "rendered", "--yes")
    assert [*manifests(folder)] == rendered

    cluster = checkout.cluster()
    for _, manifest in rendered:
        apply(cluster, manifest, time.monotonic() + DEADLINE)
    for path, manifest in rendered:
        assert found(checkout, manifest) == found(platform, manifest), path
