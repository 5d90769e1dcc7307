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

from .monitor import STACK_URN, Monitor, run

PREFIX = "urn:pulumi:test::training-platform::training-platform:index:GpuNodePool"
SIMULATED = SimulatedPool(provider="simulated", nodes=2, gpus_per_node=8)
EXISTING = ExistingPool(provider="existing", nodes=("a", "b"), gpus_per_node=4)
PLACEMENT = {
    "nodeSelector": {"training-platform/node-pool": "gpu"},
    "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
    "gpuResource": "nvidia.com/gpu",
}


def test_a_simulated_pool_is_as_many_nodes_as_it_says() -> None:
    pool, *nodes = run(lambda: GpuNodePool("gpu", {"spec": SIMULATED})).by_name()
    assert [pool.urn, *(node.urn for node in nodes)] == [
        f"{PREFIX}::gpu",
        f"{PREFIX}$kubernetes:core/v1:Node::gpu-0",
        f"{PREFIX}$kubernetes:core/v1:Node::gpu-1",
    ]
    assert [pool.parent, *(node.parent for node in nodes)] == [STACK_URN, pool.urn, pool.urn]
    assert [node.inputs for node in nodes] == [node_manifest("gpu", f"gpu-{index}", SIMULATED) for index in (0, 1)]


def test_an_existing_pool_is_a_patch_for_each_node_and_no_node() -> None:
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


def test_taints_that_others_change_later_are_left_alone() -> None:
    _, *patches = run(lambda: GpuNodePool("gpu", {"spec": EXISTING})).by_name()
    assert [patch.ignore_changes for patch in patches] == [(), ("spec.taints",)] * 2


@pytest.mark.parametrize("changed", [{"gpu_taint": False}, {"taints": (Taint(key="a", effect="NoSchedule"),)}])
def test_nodes_that_are_not_ours_to_taint_get_labels_alone(changed: dict[str, Any]) -> None:
    spec = ExistingPool(provider="existing", nodes=("a",), gpus_per_node=4, **changed)
    _, *patches = run(lambda: GpuNodePool("gpu", {"spec": spec})).by_name()
    assert [patch.name for patch in patches] == ["gpu-a"]


def test_a_pool_says_what_pods_need_to_land_in_it() -> None:
    seen: list[GpuNodePool] = []
    monitor = run(lambda: seen.append(GpuNodePool("gpu", {"spec": EXISTING})))
    assert seen[0].placement.gpus_per_node == 4
    assert monitor.outputs[f"{PREFIX}::gpu"] == {"placement": {**PLACEMENT, "gpusPerNode": 4, "maxNodes": 2}}


def test_what_is_known_of_existing_nodes_is_handed_on() -> None:
    network = PodNetwork(resources={"rdma/ib": 8})
    spec = ExistingPool(
        provider="existing", nodes=("a",), gpus_per_node=8, cpu="95", memory="1Ti", arch="arm64", network=network
    )
    seen: list[GpuNodePool] = []
    run(lambda: seen.append(GpuNodePool("gpu", {"spec": spec})))
    there = seen[0].placement
    assert (there.cpu_per_node, there.memory_per_node, there.architecture) == ("95", "1Ti", "arm64")
    assert (there.max_nodes, there.network) == (1, network)


def test_what_is_doubtful_is_a_warning_of_the_pool() -> None:
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


def test_a_pool_whose_sdk_is_missing_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
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
