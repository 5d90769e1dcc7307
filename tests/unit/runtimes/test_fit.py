"""What keeps a runtime's pods off a pool's nodes: each is found where it stands, and its neighbour is let through."""

from typing import Any

import pytest

from components.k8s.containers import ResourceRequirements
from components.k8s.invalid import InvalidRuntimeError
from components.runtimes.bind import bind_to_pool
from components.runtimes.catalog import deepspeed, mlx, torch
from components.runtimes.editing import with_container, with_pod
from components.runtimes.fit import min_nodes
from components.runtimes.placement import Placement, PodNetwork
from components.runtimes.runtime import ClusterTrainingRuntime

NODES = Placement(
    gpus_per_node=8,
    cpu_per_node="190500m",
    memory_per_node="2000Gi",
    max_nodes=2,
    architecture="amd64",
    network=PodNetwork(resources={"vpc.amazonaws.com/efa": 32}),
)
EFA = "vpc.amazonaws.com/efa"
POD = "spec.template.spec.replicatedJobs[0].template.spec.template.spec"
NODE = f"{POD}.containers[0]"


def asking(
    limits: dict[str, int | str] | None = None, requests: dict[str, int | str] | None = None
) -> ClusterTrainingRuntime:
    return with_container(torch(), resources=ResourceRequirements(limits=limits, requests=requests))


def processes(count: int) -> ClusterTrainingRuntime:
    manifest = deepspeed().to_manifest()
    manifest["spec"]["mlPolicy"]["mpi"]["numProcPerNode"] = count
    return ClusterTrainingRuntime.from_manifest(manifest)


CASES: list[tuple[str, str, str, ClusterTrainingRuntime, ClusterTrainingRuntime]] = [
    (
        "PLC-01",
        f"{POD}.nodeSelector",
        "kubernetes.io/arch is 'arm64', but the pool's nodes have 'amd64', so no node matches.",
        with_pod(torch(), node_selector={"kubernetes.io/arch": "arm64"}),
        with_pod(torch(), node_selector={"kubernetes.io/arch": "amd64"}),
    ),
    (
        "PLC-02",
        f"{NODE}.resources.limits[nvidia.com/gpu]",
        "Container node requests nvidia.com/gpu: 9, but a node of the pool has 8.",
        torch(gpus_per_node=9),
        torch(gpus_per_node=8),
    ),
    (
        "PLC-04",
        f"{NODE}.resources",
        "A pod requests cpu of 191, but a node of the pool has 190500m for pods.",
        asking(limits={"cpu": 191}),
        asking(limits={"cpu": 191}, requests={"cpu": "190.5"}),
    ),
    (
        "PLC-04",
        f"{NODE}.resources",
        "A pod requests memory of 2048.0Gi, but a node of the pool has 2000Gi for pods.",
        asking(requests={"memory": "2Ti"}),
        asking(requests={"memory": "2000Gi"}),
    ),
    (
        "PLC-05",
        f"{NODE}.resources.limits[{EFA}]",
        "Container node requests vpc.amazonaws.com/efa: 33, but a node of the pool has 32.",
        asking(limits={EFA: 33}),
        asking(limits={EFA: 32}),
    ),
    (
        "PLC-05",
        f"{NODE}.resources.limits[rdma/ib]",
        "Container node requests rdma/ib: 1, but a node of the pool has none.",
        asking(limits={"rdma/ib": 1}),
        asking(limits={"example.com/ib": 1}),
    ),
    (
        "PLC-06",
        "spec.mlPolicy.mpi.numProcPerNode",
        "9 processes start on each node, but a node has 8 GPUs.",
        processes(9),
        processes(8),
    ),
    (
        "PLC-07",
        "spec.mlPolicy.numNodes",
        "The pods need 3 nodes at the same time, but the pool can have at most 2.",
        torch(nodes=3),
        torch(nodes=3, gpus_per_node=4),
    ),
    (
        "PLC-07",
        "spec.template.spec.replicatedJobs[0].template.spec.parallelism",
        "The pods need 3 nodes at the same time, but the pool can have at most 2.",
        deepspeed(nodes=3),
        deepspeed(nodes=2),
    ),
    (
        "PLC-08",
        f"{NODE}.image",
        "r.example.com/train:1-arm64 is for arm64, but the pool's nodes are amd64.",
        torch(image="r.example.com/train:1-arm64"),
        torch(image="r.example.com/train:1"),
    ),
]


@pytest.mark.parametrize(
    ("rule", "path", "message", "wrong", "right"), CASES, ids=[f"{case[0]} {case[2][:40]}" for case in CASES]
)
def test_misfit_is_rejected_and_the_valid_case_is_not(
    rule: str, path: str, message: str, wrong: ClusterTrainingRuntime, right: ClusterTrainingRuntime
) -> None:
    with pytest.raises(InvalidRuntimeError) as refused:
        bind_to_pool(wrong, NODES)
    assert [(found.rule, found.path, found.message) for found in refused.value.violations] == [(rule, path, message)]
    bind_to_pool(right, NODES)


def test_unknown_values_of_a_pool_are_not_checked() -> None:
    runtime = torch(nodes=1000, image="r.example.com/train:1-arm64", cpus_per_node=1000, memory_per_node="9Ti")
    assert bind_to_pool(runtime, Placement(gpus_per_node=8)).metadata.name == "torch-distributed"


def test_sidecars_count_for_the_fit() -> None:
    sidecar: dict[str, Any] = {"name": "logs", "image": "r.example.com/logs:1", "resources": {"requests": {"cpu": 1}}}
    with pytest.raises(InvalidRuntimeError) as refused:
        bind_to_pool(
            with_pod(asking(limits={"cpu": 190}), init_containers=[{**sidecar, "restartPolicy": "Always"}]), NODES
        )
    assert [found.rule for found in refused.value.violations] == ["PLC-04"]
    bind_to_pool(with_pod(asking(limits={"cpu": 190}), init_containers=[sidecar]), NODES)


def test_architecture_of_the_launcher_image_is_checked() -> None:
    arm = Placement(gpus_per_node=8, architecture="arm64")
    with pytest.raises(InvalidRuntimeError) as refused:
        bind_to_pool(mlx(), arm)
    assert [(found.rule, found.message) for found in refused.value.violations] == [
        ("PLC-08", "ghcr.io/kubeflow/trainer/mlx-runtime:v2.3.0 is for amd64, but the pool's nodes are arm64.")
    ] * 2


@pytest.mark.parametrize(
    ("pods", "nodes"),
    [
        ([(4, 8)], 4),
        ([(4, 4)], 2),
        ([(1, 4), (1, 4)], 1),
        ([(3, 5)], 3),
        ([(3, 2)], 1),
        ([(9, 1)], 2),
        ([(3, 16)], 3),
        ([(2, 0)], 0),
    ],
)
def test_pods_share_a_node_that_has_enough_gpus(pods: list[tuple[int, int]], nodes: int) -> None:
    assert min_nodes(pods, 8) == nodes
