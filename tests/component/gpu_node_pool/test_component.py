"""GPU node pools as resources: names, parents, inputs, outputs."""

import sys
from typing import Any

import pytest

from components.gpu_node_pool import EksPool, ExistingPool, GkePool, GpuNodePool, SimulatedPool
from components.gpu_node_pool.cloud_sdk import MissingSdkError
from components.gpu_node_pool.existing.resources import label_patch, taint_patch
from components.gpu_node_pool.simulated.resources import node_manifest
from components.gpu_node_pool.taint import Taint
from components.runtimes.placement import PodNetwork

from ..monitor import STACK_URN, Monitor, run

PREFIX = "urn:pulumi:test::training-platform::training-platform:index:GpuNodePool"
SIMULATED = SimulatedPool(provider="simulated", nodes=2, gpus_per_node=8)
EXISTING = ExistingPool(provider="existing", nodes=("a", "b"), gpus_per_node=4)
PLACEMENT = {
    "nodeSelector": {"training-platform/node-pool": "gpu"},
    "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
    "gpuResource": "nvidia.com/gpu",
}


def test_simulated_pool_declares_its_nodes() -> None:
    pool, *nodes = run(lambda: GpuNodePool("gpu", {"spec": SIMULATED})).by_name()
    assert [pool.urn, *(node.urn for node in nodes)] == [
        f"{PREFIX}::gpu",
        f"{PREFIX}$kubernetes:core/v1:Node::gpu-0",
        f"{PREFIX}$kubernetes:core/v1:Node::gpu-1",
    ]
    assert [pool.parent, *(node.parent for node in nodes)] == [STACK_URN, pool.urn, pool.urn]
    assert [node.inputs for node in nodes] == [node_manifest("gpu", f"gpu-{index}", SIMULATED) for index in (0, 1)]


def test_existing_pool_declares_only_patches() -> None:
    pool, *patches = run(lambda: GpuNodePool("gpu", {"spec": EXISTING})).by_name()
    assert [pool.urn, *(patch.urn for patch in patches)] == [
        f"{PREFIX}::gpu",
        f"{PREFIX}$kubernetes:core/v1:NodePatch::gpu-a",
        f"{PREFIX}$kubernetes:core/v1:NodePatch::gpu-a/taint",
        f"{PREFIX}$kubernetes:core/v1:NodePatch::gpu-b",
        f"{PREFIX}$kubernetes:core/v1:NodePatch::gpu-b/taint",
    ]
    assert {patch.parent for patch in patches} == {pool.urn}
    assert [patch.inputs for patch in patches] == [
        {"apiVersion": "v1", "kind": "Node", **patch}
        for node in ("a", "b")
        for patch in (label_patch("gpu", node, EXISTING), taint_patch(node))
    ]


def test_later_changes_of_taints_are_ignored() -> None:
    _, *patches = run(lambda: GpuNodePool("gpu", {"spec": EXISTING})).by_name()
    assert [patch.ignore_changes for patch in patches] == [(), ("spec.taints",)] * 2


@pytest.mark.parametrize("changed", [{"gpu_taint": False}, {"taints": (Taint(key="a", effect="NoSchedule"),)}])
def test_pool_without_gpu_taint_patches_only_labels(changed: dict[str, Any]) -> None:
    spec = ExistingPool(provider="existing", nodes=("a",), gpus_per_node=4, **changed)
    _, *patches = run(lambda: GpuNodePool("gpu", {"spec": spec})).by_name()
    assert [patch.name for patch in patches] == ["gpu-a"]


def test_placement_is_an_output_of_the_pool() -> None:
    seen: list[GpuNodePool] = []
    monitor = run(lambda: seen.append(GpuNodePool("gpu", {"spec": EXISTING})))
    assert seen[0].placement.gpus_per_node == 4
    assert monitor.outputs[f"{PREFIX}::gpu"] == {"placement": {**PLACEMENT, "gpusPerNode": 4, "maxNodes": 2}}


def test_known_resources_of_existing_nodes_are_in_the_placement() -> None:
    network = PodNetwork(resources={"rdma/ib": 8})
    spec = ExistingPool(
        provider="existing", nodes=("a",), gpus_per_node=8, cpu="95", memory="1Ti", arch="arm64", network=network
    )
    seen: list[GpuNodePool] = []
    run(lambda: seen.append(GpuNodePool("gpu", {"spec": spec})))
    there = seen[0].placement
    assert (there.cpu_per_node, there.memory_per_node, there.architecture) == ("95", "1Ti", "arm64")
    assert (there.max_nodes, there.network) == (1, network)


def test_warnings_are_shown_for_the_pool() -> None:
    spec = GkePool.model_validate(
        {
            "provider": "gke",
            "cluster": "training",
            "location": "us-central1",
            "zones": ["us-central1-a"],
            "machineType": "a3-highgpu-8g",
            "size": {"max": 2},
        }
    )
    (doubt,) = spec.check()
    assert run(lambda: GpuNodePool("gpu", {"spec": spec})).log.warnings == [(f"{PREFIX}::gpu", str(doubt))]


def test_missing_sdk_is_reported_with_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pulumi_aws", None)
    spec = EksPool.model_validate(
        {
            "provider": "eks",
            "cluster": "training",
            "nodeRoleArn": "arn:aws:iam::111122223333:role/nodes",
            "subnetIds": ["subnet-1"],
            "machineType": "p4d.24xlarge",
            "size": {"max": 2},
        }
    )
    monitor = Monitor()
    with pytest.raises(MissingSdkError) as missing:
        run(lambda: GpuNodePool("gpu", {"spec": spec}), monitor=monitor)
    assert str(missing.value) == (
        "GPU node pools of provider `eks` need pulumi_aws: pip install -r requirements/eks.txt"
    )
    assert [each.name for each in monitor.by_name()] == ["gpu"]
