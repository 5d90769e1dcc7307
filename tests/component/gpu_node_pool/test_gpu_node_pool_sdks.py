"""Pools' resources beside the SDKs' own types: what is spelt otherwise there, the engine passes on or passes over."""

from collections.abc import Iterator, Mapping
from typing import Any, get_args

import pulumi_aws.eks
import pulumi_azure_native.containerservice
import pulumi_gcp.container
import pulumi_kubernetes.core.v1
import pytest
from pulumi import _types

from components.gpu_node_pool import AksPool, EksPool, ExistingPool, GkePool, GpuNodePool, GpuNodePoolSpec

from ..monitor import run
from . import aks_pool, eks_pool, gke_pool

POOLS: dict[Any, GpuNodePoolSpec] = {
    pulumi_gcp.container.NodePool: GkePool.model_validate(gke_pool.MINIMAL),
    pulumi_aws.eks.NodeGroup: EksPool.model_validate(eks_pool.MINIMAL),
    pulumi_azure_native.containerservice.AgentPool: AksPool.model_validate(aks_pool.MINIMAL),
    pulumi_kubernetes.core.v1.NodePatch: ExistingPool(provider="existing", nodes=("a",), gpus_per_node=8),
}


def paths(resource: Any, spec: GpuNodePoolSpec) -> dict[str, tuple[str, ...]]:
    """By option, the paths that the pool's resources of a type have."""
    monitor = eks_pool.declared(eks_pool.MINIMAL) if isinstance(spec, EksPool) else run(_pool(spec))
    made = monitor.of_type(resource.pulumi_type)
    return {
        "ignore_changes": tuple(path for each in made for path in each.ignore_changes),
        "replace_on_changes": tuple(path for each in made for path in each.replace_on_changes),
    }


def _pool(spec: GpuNodePoolSpec) -> Any:
    return lambda: GpuNodePool("gpu", {"spec": spec})


def known(resource: Any, path: str) -> bool:
    """Whether the SDK has a property at the path."""
    first, *rest = path.split(".")
    there = _types.resource_types(resource).get(first)
    for name in rest:
        there = _types.output_type_types(there).get(name) if there else None
    return there is not None


@pytest.mark.parametrize(("resource", "spec"), POOLS.items(), ids=lambda each: getattr(each, "__name__", ""))
def test_every_path_is_a_property_of_the_sdk(resource: Any, spec: GpuNodePoolSpec) -> None:
    named = paths(resource, spec)
    assert named["ignore_changes"]
    assert [path for option in named.values() for path in option if not known(resource, path)] == []


@pytest.mark.parametrize("path", ["scaling_config.desired_size", "scalingConfig.desired_size", "scalingConfig.size"])
def test_misspelled_path_is_not_a_property(path: str) -> None:
    assert not known(pulumi_aws.eks.NodeGroup, path)
    assert known(pulumi_aws.eks.NodeGroup, "scalingConfig.desiredSize")


def unknown(kind: Any, value: object, path: str) -> Iterator[str]:
    """Paths of all keys of an input that its type in the SDK doesn't have."""
    if isinstance(value, list):
        for each in value:
            yield from unknown(_types.unwrap_type(get_args(kind)[0]), each, f"{path}[]")
    elif isinstance(value, Mapping) and isinstance(kind, type) and _types.is_input_type(kind):
        types = _types.input_type_types(kind)
        for key, below in value.items():
            yield from unknown(types[key], below, f"{path}.{key}") if key in types else [f"{path}.{key}"]


NETWORKS = [{"network": f"n{index}", "subnetwork": f"s{index}", "name": f"n{index}"} for index in range(4)]
EVERYTHING: dict[Any, list[GpuNodePoolSpec]] = {
    pulumi_gcp.container.NodePoolArgs: [
        GkePool.model_validate(gke_pool.MINIMAL | changed)
        for changed in (
            {"capacity": {"kind": "queued"}, "driver": "operator", "project": "p", "serviceAccount": "a@b"},
            {"capacity": {"kind": "reservation", "reservation": "r"}, "compact": True, "diskType": "pd-ssd"},
            {"machineType": "a3-highgpu-8g", "network": {"kind": "gpudirect", "networks": NETWORKS}},
            {"size": {"min": 1, "max": 1}, "extraTaints": [{"key": "a", "effect": "NoExecute"}]},
        )
    ],
    pulumi_azure_native.containerservice.AgentPoolArgs: [
        AksPool.model_validate(aks_pool.MINIMAL | changed)
        for changed in (
            {"capacity": {"kind": "spot"}, "zones": ["1"], "subnet": aks_pool.SUBNET},
            {"capacity": {"kind": "reservation", "reservation": aks_pool.GROUP}},
            {"proximityPlacementGroup": aks_pool.NEAR},
        )
    ],
}


@pytest.mark.parametrize(("kind", "spec"), [(kind, spec) for kind, specs in EVERYTHING.items() for spec in specs])
def test_every_nested_key_of_arguments_is_known_to_the_sdk(kind: Any, spec: GpuNodePoolSpec) -> None:
    pool = next(each for each in run(_pool(spec)).by_name() if "ool:NodePool" in each.type or "AgentPool" in each.type)
    assert len(pool.inputs) >= 8
    assert list(unknown(kind, pool.inputs, "")) == []


def test_misspelled_nested_key_is_found() -> None:
    wrong = {"nodeConfig": {"gvnik": {"enabled": True}, "taints": [{"keys": "a"}]}, "cluster": "c"}
    assert list(unknown(pulumi_gcp.container.NodePoolArgs, wrong, "")) == [
        ".nodeConfig.gvnik",
        ".nodeConfig.taints[].keys",
    ]
