"""Karpenter's objects as the real API server takes them, with the CRDs of Karpenter's own release."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes import client, dynamic, watch

from components.gpu_node_pool.karpenter.node_class import Ec2NodeClass
from components.gpu_node_pool.karpenter.pool import KarpenterPool
from components.gpu_node_pool.karpenter.resources import node_class, node_pool
from tests.component.gpu_node_pool.karpenter_pools import EXISTING, MINIMAL, PRODUCTION
from tools import go_build

from .conftest import Platform

MODULE = "github.com/aws/karpenter-provider-aws@v1.12.0"
SUM = "h1:i85sVPjpZ0kfUCGZEbg5h1c5FF4M7UrdsQIKYwZHIJA="
KINDS = {"NodePool": "karpenter.sh_nodepools.yaml", "EC2NodeClass": "karpenter.k8s.aws_ec2nodeclasses.yaml"}
SPECS = {
    "minimal": MINIMAL,
    "production": PRODUCTION,
    "existing node class": EXISTING,
    "spot": MINIMAL | {"capacity": {"kind": "spot"}},
    "reservation": MINIMAL | {"capacity": {"kind": "reservation", "reservation": "cr-0a1"}},
    "capacity block": MINIMAL | {"capacity": {"kind": "capacity-block", "reservation": "cr-0a1"}},
    "labels of Kubernetes' own": MINIMAL
    | {"labels": {"node-role.kubernetes.io/gpu": "", "node-restriction.kubernetes.io/team": "a"}},
    "placement group by its id": PRODUCTION
    | {"nodeClass": PRODUCTION["nodeClass"] | {"placementGroup": "pg-0123456789abcdef0"}},
    "efa": MINIMAL | {"machineType": "p5.48xlarge", "network": {"kind": "efa"}, "zones": ["us-west-2a"]},
}


@pytest.fixture(scope="module")
def cluster(platform: Platform) -> Iterator[dynamic.DynamicClient]:
    """A cluster that has Karpenter's CRDs, and nothing else of it."""
    command = [go_build.go(), "mod", "download", "-json", MODULE]
    module = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert module["Sum"] == SUM
    cluster = platform.cluster()
    crds = [yaml.safe_load(Path(module["Dir"], "pkg/apis/crds", file).read_text()) for file in KINDS.values()]
    api = client.ApiextensionsV1Api(cluster.client)
    for crd in crds:
        api.create_custom_resource_definition(crd)
        watched = watch.Watch()
        name = f"metadata.name={crd['metadata']['name']}"
        for event in watched.stream(api.list_custom_resource_definition, field_selector=name, timeout_seconds=60):
            conditions = event["object"].status.conditions or []
            if any(condition.type == "Established" and condition.status == "True" for condition in conditions):
                watched.stop()
    yield platform.cluster()
    for crd in crds:
        api.delete_custom_resource_definition(crd["metadata"]["name"])


def manifests(said: dict[str, Any]) -> list[dict[str, Any]]:
    spec = KarpenterPool.model_validate(said)
    classes = [node_class("gpu", spec, spec.node_class)] if isinstance(spec.node_class, Ec2NodeClass) else []
    return [*classes, node_pool("gpu", spec)]


def create(cluster: dynamic.DynamicClient, manifest: dict[str, Any]) -> Any:
    """What the API server would store. Unknown fields are refused."""
    resource = cluster.resources.get(api_version=manifest["apiVersion"], kind=manifest["kind"])
    return cluster.create(
        resource, body=manifest, query_params=[("dryRun", "All"), ("fieldValidation", "Strict")]
    ).to_dict()


def said_in(stored: Any, said: Any) -> Any:
    """What was said, of what is stored: the API server adds defaults."""
    if isinstance(said, dict):
        return {key: said_in(stored[key], value) for key, value in said.items() if key in stored}
    if isinstance(said, list) and len(stored) == len(said):
        return [said_in(*pair) for pair in zip(stored, said, strict=True)]
    return stored


@pytest.mark.parametrize("said", SPECS.values(), ids=SPECS.keys())
def test_api_server_accepts_every_pool(cluster: dynamic.DynamicClient, said: dict[str, Any]) -> None:
    for manifest in manifests(said):
        assert said_in(create(cluster, manifest), manifest) == manifest


@pytest.mark.parametrize(
    ("path", "value", "complaint"),
    [
        (("template", "spec", "requirements", 0, "operator"), "Is", "Unsupported value"),
        (("template", "spec", "expireafter"), "Never", "unknown field"),
        (("template", "metadata", "labels", "karpenter.sh/team"), "a", 'label domain "karpenter.sh" is restricted'),
        (("template", "metadata", "labels", "kubernetes.io/hostname"), "a", "is restricted"),
    ],
)
def test_api_server_rejects_an_invalid_node_pool(
    cluster: dynamic.DynamicClient, path: tuple[Any, ...], value: str, complaint: str
) -> None:
    refused(cluster, manifests(EXISTING)[0], path, value, complaint)


@pytest.mark.parametrize(
    ("path", "value", "complaint"),
    [
        (("subnetSelectorTerms", 0, "id"), "private-a", "should match 'subnet-[0-9a-z]+'"),
        (("securityGroupSelectorTerms", 0, "id"), "default", "should match 'sg-[0-9a-z]+'"),
        (("subnetSelectorTerms",), [], "subnetSelectorTerms cannot be empty"),
        (("amiSelectorTerms", 0, "alias"), "al2023", "must match the format 'family@version'"),
        (("tags", "karpenter.sh/nodepool"), "a", "tag contains a restricted tag"),
        (("tags", "kubernetes.io/cluster/train"), "owned", "tag contains a restricted tag"),
    ],
)
def test_api_server_rejects_an_invalid_node_class(
    cluster: dynamic.DynamicClient, path: tuple[Any, ...], value: Any, complaint: str
) -> None:
    refused(cluster, manifests(MINIMAL)[0], path, value, complaint)


def refused(
    cluster: dynamic.DynamicClient, manifest: dict[str, Any], path: tuple[Any, ...], value: Any, complaint: str
) -> None:
    """Fails unless the API server complains of a manifest that has the value at a path below its `spec`."""
    manifest = json.loads(json.dumps(manifest))
    place = manifest["spec"]
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(dynamic.exceptions.DynamicApiError) as said:
        create(cluster, manifest)
    assert complaint in said.value.summary()
