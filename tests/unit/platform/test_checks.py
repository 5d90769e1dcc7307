"""Layers that are right by themselves, and wrong together."""

import pytest

from components.gpu_node_pool import ExistingPool, GpuNodePoolSpec, SimulatedPool
from components.jobset import ExternalJobSet, JobSetOperatorSpec
from components.kubeflow_trainer import ExternalTrainer, KubeflowTrainerSpec
from components.platform.checks import check_operators, check_shared_nodes

JobSets = JobSetOperatorSpec | ExternalJobSet | None
Trainers = KubeflowTrainerSpec | ExternalTrainer | None


@pytest.mark.parametrize(
    ("jobset", "trainer", "found"),
    [
        (None, None, []),
        (JobSetOperatorSpec(), KubeflowTrainerSpec(), []),
        (JobSetOperatorSpec(version="0.13.0"), KubeflowTrainerSpec(), [("VER-01", "jobset.version")]),
        (ExternalJobSet(mode="external", version="0.13.0"), KubeflowTrainerSpec(), [("VER-01", "jobset.version")]),
        (ExternalJobSet(mode="external"), KubeflowTrainerSpec(), []),
        (JobSetOperatorSpec(version="0.13.0"), ExternalTrainer(mode="external"), []),
        (JobSetOperatorSpec(version="0.13.0"), None, []),
        (
            JobSetOperatorSpec(namespace="shared"),
            KubeflowTrainerSpec(namespace="shared"),
            [("STK-06", "trainer.namespace")],
        ),
    ],
)
def test_operators_are_checked_together(jobset: JobSets, trainer: Trainers, found: list[tuple[str, str]]) -> None:
    assert [(each.rule, each.path) for each in check_operators(jobset, trainer)] == found


def existing(*nodes: str) -> ExistingPool:
    return ExistingPool(provider="existing", nodes=nodes, gpus_per_node=8)


def test_node_belongs_to_one_pool() -> None:
    pools: dict[str, GpuNodePoolSpec] = {
        "a": existing("one", "two"),
        "b": existing("three", "two"),
        "c": existing("two"),
        "d": SimulatedPool(provider="simulated", nodes=2, gpus_per_node=8),
    }
    assert [(each.rule, each.path, each.message, each.fix) for each in check_shared_nodes(pools)] == [
        (
            "STK-06",
            f"gpuNodePools.{pool}.nodes[{index}]",
            "two is already a node of pool `a`, and a node can belong to only one pool.",
            "Remove it from one of them.",
        )
        for pool, index in (("b", 1), ("c", 0))
    ]
