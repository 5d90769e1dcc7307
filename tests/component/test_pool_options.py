"""Paths of options of pools' resources: the engine knows properties by their names on the wire, and ignores others."""

from typing import Any

import pulumi_aws.eks
import pulumi_azure_native.containerservice
import pulumi_gcp.container
import pulumi_kubernetes.core.v1
import pytest
from pulumi import _types

from components.gpu_node_pool import AksPool, EksPool, ExistingPool, GkePool, GpuNodePool, GpuNodePoolSpec

from . import test_aks_pool, test_eks, test_gke_pool
from .monitor import run

POOLS: dict[Any, GpuNodePoolSpec] = {
    pulumi_gcp.container.NodePool: GkePool.model_validate(test_gke_pool.MINIMAL),
    pulumi_aws.eks.NodeGroup: EksPool.model_validate(test_eks.MINIMAL),
    pulumi_azure_native.containerservice.AgentPool: AksPool.model_validate(test_aks_pool.MINIMAL),
    pulumi_kubernetes.core.v1.NodePatch: ExistingPool(provider="existing", nodes=("a",), gpus_per_node=8),
}


def paths(resource: Any, spec: GpuNodePoolSpec) -> dict[str, tuple[str, ...]]:
    """By option, the paths that the pool's resources of a type have."""
    monitor = test_eks.declared(test_eks.MINIMAL) if isinstance(spec, EksPool) else run(_pool(spec))
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
def test_a_path_of_another_spelling_is_no_property(path: str) -> None:
    assert not known(pulumi_aws.eks.NodeGroup, path)
    assert known(pulumi_aws.eks.NodeGroup, "scalingConfig.desiredSize")
