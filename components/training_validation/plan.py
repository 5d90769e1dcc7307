"""What is run to validate a runtime, and what it must show."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any

from ..gpu_node_pool.simulated.spec import SimulatedPool
from ..gpu_node_pool.spec import GpuNodePoolSpec
from ..k8s.metadata import ObjectMeta
from ..k8s.quantities import amount
from ..runtimes import ClusterTrainingRuntime, TrainingRuntime
from ..runtimes.editing import pod_of, replicated_jobs
from ..runtimes.explain import LATEST, RELEASES, Explanation, explain
from ..runtimes.placement import Placement, is_gpu
from ..runtimes.topology import INITIALIZERS, NODE
from ..runtimes.train_job import RuntimeRef, Trainer, TrainJob, TrainJobSpec
from ..training_runtimes import qualified_name
from ..validation.near import did_you_mean
from ..validation.violation import Violation
from .observations import Expectation
from .spec import ValidationSpec

Runtime = ClusterTrainingRuntime | TrainingRuntime

LABEL = "training-platform/validation"
"""Label of everything that a validation creates."""

STARTERS = {"torch": ("torchrun", "--no-python"), "mpi": ("mpirun",), "jax": (), "xgboost": ()}
"""The frameworks that can be validated, each with what starts its ranks."""

MAX_MEASURED = 64 * 1024 * 1024
"""Number of 32-bit numbers in the allreduce that is measured where the pool has a fast network."""


MEMORY_SHARE = Decimal("0.9")
"""Share of a pool's memory that a node must offer. Placements have upper bounds: the kernel of a node uses some of its
memory (`gpu_node_pool/allocatable.py`)."""


@dataclass(frozen=True)
class ValidationPool:
    """A pool that a runtime is bound to."""

    name: str
    """Name."""

    placement: Placement
    """What the pool promises."""

    is_simulated: bool = False
    """Whether its nodes run no containers."""


def validation_pools(
    pools: Mapping[str, GpuNodePoolSpec], others: Mapping[str, Placement]
) -> tuple[ValidationPool, ...]:
    """The pools of a program, and those of other programs by their placements."""
    own = (ValidationPool(name, pool.placement(name), isinstance(pool, SimulatedPool)) for name, pool in pools.items())
    return (*own, *(ValidationPool(name, placement) for name, placement in others.items()))


@dataclass(frozen=True)
class TrainingPlan:
    """The validation of one runtime."""

    runtime: Runtime
    """The runtime."""

    pool: ValidationPool | None
    """The pool that it is bound to. None: it is bound to none."""

    train_job: TrainJob
    """The TrainJob. Its name is completed by each run."""

    expected: Expectation
    """What it must show."""

    timeout_seconds: int
    """Time limit."""

    failure: str | None = None
    """Why the controllers would not run it. None: they would."""

    @property
    def name(self) -> str:
        """Name of the runtime."""
        return self.runtime.metadata.name or ""

    @property
    def key(self) -> str:
        """Its name, after its namespace if it has one."""
        return qualified_name(self.runtime)

    @property
    def namespace(self) -> str:
        """Namespace of the TrainJob and the report."""
        return self.train_job.metadata.namespace or ""

    @property
    def pool_name(self) -> str | None:
        """Name of the pool."""
        return self.pool.name if self.pool else None

    @property
    def is_simulated(self) -> bool:
        """Whether no container runs."""
        return self.pool is not None and self.pool.is_simulated

    @property
    def promise(self) -> str:
        """What each node of the pool has: `8 nvidia.com/gpu, 512Gi memory`. Empty: the pool promises nothing."""
        counts = [
            f"{count} {name}" for name, count in {**(self.expected.gpus or {}), **(self.expected.nics or {})}.items()
        ]
        memory = self.pool.placement.memory_per_node if self.pool else None
        return ", ".join([*counts, *([] if memory is None else [f"about {memory} memory"])])

    def fingerprint(self, operators: str) -> str:
        """A hash that changes with everything that the result depends on.

        Args:
            operators: The operators, as text.
        """
        placement = self.pool.placement.model_dump(mode="json") if self.pool else None
        parts = [self.runtime.to_manifest(), placement, self.train_job.to_manifest(), self.timeout_seconds, operators]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def check_runtimes(
    spec: ValidationSpec, runtimes: Sequence[Runtime], pools: Sequence[ValidationPool]
) -> Iterator[Violation]:
    """What is wrong with the settings. Paths begin with `validation`."""
    by_name = {each.metadata.name or "": each for each in runtimes}
    for index, name in enumerate(spec.runtimes or ()):
        path = f"validation.runtimes[{index}]"
        if name not in by_name:
            fix = did_you_mean(name, by_name) or "Write the name of a runtime of this platform."
            yield Violation("STK-06", path, f"There is no runtime `{name}`.", fix)
        elif why := why_not(by_name[name]):
            yield Violation("STK-06", path, f"Runtime `{name}` cannot be validated: {why}.", "Remove it from the list.")
    if spec.runtimes is None and not any(why_not(each) is None for each in runtimes):
        message = "`validation` has no effect, because the platform has no runtime that can be validated."
        yield Violation("STK-06", "validation", message, "Remove it, or add a runtime for torch, MPI, JAX or XGBoost.")
    chosen = _chosen(spec, runtimes)
    reports = Counter((each.metadata.namespace or spec.namespace, each.metadata.name) for each in chosen)
    for (namespace, report), count in reports.items():
        if count > 1:
            message = f"The reports of two runtimes `{report}` have the same name in namespace `{namespace}`."
            fix = "Set another namespace for those of ClusterTrainingRuntimes."
            yield Violation("STK-06", "validation.namespace", message, fix)
    for runtime in chosen:
        pool = _pool_of(runtime, pools)
        if pool and spec.nodes and not _fits(runtime, pool, spec.nodes):
            most = f"which has at most {pool.placement.max_nodes}"
            message = f"{spec.nodes} nodes of `{runtime.metadata.name}` do not fit on pool `{pool.name}`, {most}."
            yield Violation("STK-06", "validation.nodes", message, "Set a smaller number, or remove the key.")


def _fits(runtime: Runtime, pool: ValidationPool, nodes: int) -> bool:
    """Whether the pool can have enough nodes for a TrainJob of so many."""
    reference = RuntimeRef(name=runtime.metadata.name or "", kind=runtime.kind)
    spec = TrainJobSpec(runtime_ref=reference, trainer=Trainer(num_nodes=nodes))
    capacity = explain(runtime, TrainJob(metadata=ObjectMeta(name="validate"), spec=spec), pool.placement).capacity
    return capacity is None or capacity.fits


def why_not(runtime: Runtime) -> str | None:
    """Why a runtime cannot be validated. None: it can."""
    if any(job.name in INITIALIZERS for job in replicated_jobs(runtime)):
        return "its initializers download data"
    framework = framework_of(runtime)
    return None if framework in STARTERS else "its framework has no program for it"


def framework_of(runtime: Runtime) -> str | None:
    """The policy of the runtime's framework: `torch`, `mpi`, `jax`, `xgboost` or `flux`. None: it has none."""
    policy = runtime.spec.ml_policy
    known = (*STARTERS, "flux")
    return next((each for each in known if policy and getattr(policy, each) is not None), None)


def plan_trainings(
    spec: ValidationSpec,
    runtimes: Sequence[Runtime],
    pools: Sequence[ValidationPool],
    annotations: Mapping[str, str],
    trainer: str | None = None,
) -> tuple[TrainingPlan, ...]:
    """The validations of a platform.

    Args:
        spec: The settings, which `check_runtimes` finds nothing wrong with.
        runtimes: All runtimes of the platform.
        pools: All pools that they may be bound to.
        annotations: The owner marks of the TrainJobs.
        trainer: Version of Trainer. Default: the latest that is known.
    """
    version = trainer if trainer and trainer in RELEASES else LATEST
    chosen = _chosen(spec, runtimes)
    return tuple(_plan(spec, each, _pool_of(each, pools), annotations, version) for each in chosen)


def _chosen(spec: ValidationSpec, runtimes: Iterable[Runtime]) -> list[Runtime]:
    return [
        each
        for each in runtimes
        if why_not(each) is None and (spec.runtimes is None or each.metadata.name in spec.runtimes)
    ]


def _pool_of(runtime: Runtime, pools: Iterable[ValidationPool]) -> ValidationPool | None:
    """The pool whose node selector the pods of a runtime have."""
    selectors = [pod.node_selector or {} for job in replicated_jobs(runtime) if (pod := pod_of(job))]
    wanted = {item for each in selectors for item in each.items()}
    bound = (
        each
        for each in pools
        if each.placement.node_selector.items() and each.placement.node_selector.items() <= wanted
    )
    return next(bound, None)


def _plan(
    spec: ValidationSpec,
    runtime: Runtime,
    pool: ValidationPool | None,
    annotations: Mapping[str, str],
    version: str,
) -> TrainingPlan:
    framework = framework_of(runtime) or ""
    nodes = spec.nodes or _nodes(runtime, pool, 3 if framework == "mpi" else 2)
    network = pool.placement.network if pool else None
    measured = MAX_MEASURED if network and network.resources else 0
    command = (*STARTERS[framework], "python3", "-c", rank_program(), framework, str(nodes), str(measured))
    train_job = TrainJob(
        metadata=ObjectMeta(
            name="validate",
            namespace=runtime.metadata.namespace or spec.namespace,
            labels={**spec.labels, LABEL: "true"},
            annotations=dict(annotations),
        ),
        spec=TrainJobSpec(
            runtime_ref=RuntimeRef(name=runtime.metadata.name or "", kind=runtime.kind),
            trainer=Trainer(command=command, num_nodes=nodes),
            # Ends a training whose run was killed. Trainer before 2.2 drops it.
            active_deadline_seconds=spec.timeout_seconds + 60,
        ),
    )
    explained = explain(runtime, train_job, pool.placement if pool else None, version)
    expected = _expectation(framework, nodes, explained, pool)
    return TrainingPlan(runtime, pool, train_job, expected, spec.timeout_seconds, explained.failure)


def _nodes(runtime: Runtime, pool: ValidationPool | None, wanted: int) -> int:
    """The number of nodes that is wanted, or the largest that the pool can have."""
    if pool is None:
        return wanted
    return next((nodes for nodes in range(wanted, 1, -1) if _fits(runtime, pool, nodes)), 1)


@cache
def rank_program() -> str:
    """The source of what each rank runs."""
    return files(__package__).joinpath("rank_program.py").read_text(encoding="utf-8")


def _expectation(framework: str, nodes: int, explained: Explanation, pool: ValidationPool | None) -> Expectation:
    pods = {each.replicated_job: each.pods for each in explained.jobs}
    gpus = next((_gpus(each.manifest) for each in explained.jobs if each.replicated_job == NODE), 0)
    hosts, ranks = _ranks(framework, nodes, gpus, explained)
    expected = Expectation(hosts, ranks, pods, gpus)
    if pool is None:
        return expected
    placement = pool.placement
    return replace(
        expected,
        gpus={placement.gpu_resource: placement.gpus_per_node} if placement.gpus_per_node else None,
        nics=dict(placement.network.resources) if placement.network else None,
        memory=_least_memory(placement),
    )


def _least_memory(placement: Placement) -> int | None:
    quantity = placement.memory_per_node
    return None if quantity is None else int(amount(quantity) * MEMORY_SHARE)


def _ranks(framework: str, nodes: int, gpus: int, explained: Explanation) -> tuple[int, int | None]:
    """Number of pods with ranks, and of ranks."""
    variables = {each.name: each.value for each in explained.environment if each.container == "node"}
    match framework:
        case "mpi":
            hostfiles = (
                each["data"]["hostfile"] for each in explained.applied if "hostfile" in (each.get("data") or {})
            )
            lines = next(hostfiles, "").splitlines()
            return len(lines), sum(int(line.partition("slots=")[2]) for line in lines)
        case "torch":
            processes = variables.get("PET_NPROC_PER_NODE", "")
            per_node = int(processes) if processes.isdecimal() else gpus
            return nodes, nodes * per_node or None
        case "xgboost":
            return nodes, int(variables.get("DMLC_NUM_WORKER", nodes))
        case _:
            return nodes, nodes


def _gpus(job: Mapping[str, Any]) -> int:
    """GPUs that a process in a pod of the job can see. Of several parts of GPUs (MIG) CUDA shows it one."""
    limits = [
        (each.get("resources") or {}).get("limits") or {} for each in job["spec"]["template"]["spec"]["containers"]
    ]
    counts = {name: int(amount(count)) for each in limits for name, count in each.items() if is_gpu(name)}
    return sum(min(1, count) if "/mig-" in name else count for name, count in counts.items())
