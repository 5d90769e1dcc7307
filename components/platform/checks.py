"""What is wrong with the layers of a platform together, although each is right by itself. Pure: no cluster is asked."""

from collections.abc import Iterator, Mapping, Sequence

from ..gpu_node_pool.existing.pool import ExistingPool
from ..gpu_node_pool.spec import GpuNodePoolSpec
from ..jobset import ExternalJobSet, JobSetOperatorSpec
from ..kubeflow_trainer import ExternalTrainer, KubeflowTrainerSpec
from ..operators.compatibility import check_chart_keys, check_jobset_version
from ..operators.spec import OperatorSpec
from ..runtimes import ClusterTrainingRuntime, TrainingRuntime
from ..runtimes.placement import Placement
from ..training_validation.spec import ValidationSpec
from ..validation.violation import Violation


def check_operators(
    jobset: JobSetOperatorSpec | ExternalJobSet | None, trainer: KubeflowTrainerSpec | ExternalTrainer | None
) -> Iterator[Violation]:
    """What is wrong or doubtful with the operators of one platform. Paths begin with `jobset` and `trainer`."""
    for spec in (jobset, trainer):
        if isinstance(spec, OperatorSpec):
            yield from check_chart_keys(spec)
    if not isinstance(trainer, KubeflowTrainerSpec):
        return
    if jobset and jobset.version:
        yield from check_jobset_version(trainer.version, jobset.version, "jobset.version")
    if isinstance(jobset, JobSetOperatorSpec) and jobset.namespace == trainer.namespace:
        message = (
            f"JobSet and Trainer both use namespace {trainer.namespace}, and each deletes its namespace on destroy."
        )
        yield Violation("STK-06", "trainer.namespace", message, "Set a different namespace for each operator.")


def check_shared_nodes(pools: Mapping[str, GpuNodePoolSpec]) -> Iterator[Violation]:
    """Nodes that two pools claim. Paths begin with `gpuNodePools`."""
    taken: dict[str, str] = {}
    for pool, spec in pools.items():
        for index, node in enumerate(spec.nodes if isinstance(spec, ExistingPool) else ()):
            if taken.get(node, pool) != pool:
                message = f"{node} is already a node of pool `{taken[node]}`, and a node can belong to only one pool."
                yield Violation("STK-06", f"gpuNodePools.{pool}.nodes[{index}]", message, "Remove it from one of them.")
            taken.setdefault(node, pool)


def check_validation(
    spec: ValidationSpec,
    runtimes: Sequence[ClusterTrainingRuntime | TrainingRuntime],
    pools: Mapping[str, GpuNodePoolSpec],
    others: Mapping[str, Placement] | None = None,
    *,
    is_rendered: bool = False,
) -> Iterator[Violation]:
    """What is wrong with a validation of these runtimes. Paths begin with `validation`.

    Args:
        spec: The settings.
        runtimes: The runtimes of the platform.
        pools: Its pools.
        others: Placements of pools that other programs own.
        is_rendered: Whether manifests go to a folder, so that there is no cluster to run in.
    """
    # Imported here, because it takes 30 ms that a platform without a validation need not wait.
    from ..training_validation.plan import check_runtimes, validation_pools

    if is_rendered:
        message = "`validation` has no effect, because manifests are written to a folder and no cluster is known."
        yield Violation("STK-06", "validation", message, "Remove it, or run `python -m stacks validate` later.")
    yield from check_runtimes(spec, runtimes, validation_pools(pools, others or {}))
