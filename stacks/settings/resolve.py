"""Resolves a stack file to what is deployed: applies mirrors, builds runtimes, binds them to their pools, and runs each
check once."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from components.gpu_node_pool.spec import GpuNodePoolSpec
from components.jobset import ExternalJobSet, JobSetOperatorSpec
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.operators.spec import OperatorSpec
from components.platform.checks import check_operators, check_shared_nodes, check_validation
from components.runtimes import InvalidRuntimeError
from components.runtimes.placement import Placement
from components.validation.violation import Severity, Violation

from ..checks.controller_scheduling import check_schedulable
from ..checks.local_chart import check_local_chart
from ..stack_references import ReferencedOperator, ReferencedPool
from .cluster import AnyTarget, RenderedCluster
from .error_report import InvalidSettingsError
from .image_inventory import Artifact, check_image_policies, of_operator, of_pool, of_runtime
from .images import OCI
from .load import LoadedStack
from .model import StackConfig
from .pydantic_errors import suggest
from .runtimes import Runtime, build_runtime, in_stack_file
from .stack_file import StackFile

ABOUT_GPUS = {"CAT-02", "CAT-14", "SDK-05"}
"""Rules for runtimes without GPUs. They are skipped for a runtime whose pool is missing or invalid, because the pool
would set the GPUs."""


@dataclass(frozen=True)
class ResolvedStack:
    """A stack that passed all checks of its file."""

    file: StackFile
    """The stack file."""

    config: StackConfig
    """The content of the file."""

    cluster: AnyTarget
    """The target of the deployment."""

    pools: Mapping[str, GpuNodePoolSpec]
    """The GPU node pools that this stack creates. Their device plugins are pulled through the mirrors."""

    jobset: JobSetOperatorSpec | ExternalJobSet | None
    """JobSet: as this stack installs it, through the mirrors, or the settings of one that another owner installs."""

    trainer: KubeflowTrainerSpec | ReferencedOperator | None
    """Trainer: as this stack installs it, or the stack that installs it."""

    runtimes: Mapping[str, Runtime]
    """The runtimes by name, bound to their pools, with images from the mirrors. `bind` adds those in `unbound`."""

    unbound: tuple[str, ...]
    """Names of the runtimes that use pools of other stacks."""

    warnings: tuple[Violation, ...]
    """The warnings, with the file's keys."""

    placements: Mapping[str, Placement] = field(default_factory=dict)
    """Placements of the pools of other stacks, by their names in this stack. `bind` adds them."""

    @property
    def operators(self) -> dict[str, OperatorSpec]:
        """The operators that this stack installs, by section."""
        return _operators(self.jobset, self.trainer)

    @property
    def other_pools(self) -> dict[str, ReferencedPool]:
        """The GPU node pools of other stacks."""
        return {name: spec for name, spec in self.config.gpu_node_pools.items() if isinstance(spec, ReferencedPool)}

    def bind(self, placements: Mapping[str, Placement], missing: Sequence[Violation] = ()) -> "ResolvedStack":
        """Adds the runtimes that use pools of other stacks. `placements` are those of these pools, by their names in
        this stack.

        Raises InvalidSettingsError with the errors of these runtimes, and with the violations about `missing` outputs
        of other stacks.
        """
        runtimes = _Runtimes(self.config, placements)
        built = runtimes.build(self.unbound)
        everything = {**self.runtimes, **built}
        if self.unbound and len(everything) == len(self.config.runtimes):
            runtimes.found += _check_validation(self.config, everything, self.pools, placements)
        if errors := [*missing, *_blocking(self.config, runtimes.found)]:
            raise InvalidSettingsError(self.file, errors)
        ordered = {name: everything[name] for name in self.config.runtimes}
        warnings = (*self.warnings, *_warnings(runtimes.found))
        return replace(self, runtimes=ordered, unbound=(), warnings=warnings, placements=placements)

    def artifacts(self) -> list[Artifact]:
        """All images and charts of the stack."""
        return [
            *(each for name, spec in self.pools.items() for each in of_pool(f"gpuNodePools.{name}", spec)),
            *(each for name, spec in self.operators.items() for each in of_operator(name, spec)),
            *(each for name, made in self.runtimes.items() for each in of_runtime(f"runtimes.{name}", made)),
        ]


def resolve(loaded: LoadedStack) -> ResolvedStack:
    """Resolves a stack file. Raises InvalidSettingsError with all errors of the file."""
    config, images = loaded.config, loaded.config.images
    pools = {
        name: images.pool(spec) for name, spec in config.gpu_node_pools.items() if not isinstance(spec, ReferencedPool)
    }
    jobset = images.operator(config.jobset) if isinstance(config.jobset, JobSetOperatorSpec) else config.jobset
    trainer = images.operator(config.trainer) if isinstance(config.trainer, KubeflowTrainerSpec) else config.trainer
    runtimes = _Runtimes(config, {name: spec.placement(name) for name, spec in pools.items()})
    unbound = tuple(name for name, each in config.runtimes.items() if _is_elsewhere(config, each.node_pool))
    built = runtimes.build([name for name in config.runtimes if name not in unbound])
    found = [
        *check_shared_nodes(pools),
        *check_operators(jobset, trainer if isinstance(trainer, KubeflowTrainerSpec) else None),
        *_check_operators_here(loaded, _operators(jobset, trainer), pools),
        *(_not_rendered(pools) if isinstance(config.cluster, RenderedCluster) else ()),
        *_check_pool_names(loaded),
        *runtimes.found,
        *_check_pools(config, pools),
        # One that is not built is wrong itself, or its pool is another stack's.
        *(_check_validation(config, built, pools, {}) if len(built) == len(config.runtimes) else ()),
    ]
    certain = [violation for violation in found if violation.rule not in loaded.unsure]
    errors = [*loaded.violations, *_blocking(config, certain)]
    if config.cluster is None or errors:
        warnings = [violation for violation in _warnings(certain) if violation not in errors]
        raise InvalidSettingsError(loaded.file, errors, warnings)
    return ResolvedStack(loaded.file, config, config.cluster, pools, jobset, trainer, built, unbound, _warnings(found))


@dataclass
class _Runtimes:
    """Builds runtimes and collects their violations."""

    config: StackConfig
    placements: Mapping[str, Placement]
    found: list[Violation] = field(default_factory=list)

    def build(self, names: Collection[str]) -> dict[str, Runtime]:
        """Builds the runtimes with these names. Those with errors are left out."""
        built = {}
        for name in names:
            settings, path = self.config.runtimes[name], f"runtimes.{name}"
            pool = self.placements.get(settings.node_pool or "")
            try:
                runtime = self.config.images.runtime(build_runtime(name, settings, pool))
            except InvalidRuntimeError as error:
                found: Iterable[Violation] = error.violations
            else:
                built[name], found = runtime, runtime.check()
                self.found += check_image_policies(of_runtime(path, runtime), self.config.images, self.config.policies)
            if settings.node_pool is not None and pool is None:
                found = [violation for violation in found if violation.rule not in ABOUT_GPUS]
            self.found += in_stack_file(path, settings, found, is_built=name in built)
        return built


def _blocking(config: StackConfig, found: Iterable[Violation]) -> list[Violation]:
    """The violations that prevent a deployment: errors, and also warnings if the policies refuse them."""
    refused = config.policies.warnings == "refused"
    return [violation for violation in found if refused or violation.severity is Severity.ERROR]


def _warnings(found: Iterable[Violation]) -> tuple[Violation, ...]:
    return tuple(violation for violation in found if violation.severity is Severity.WARNING)


def _operators(jobset: object, trainer: object) -> dict[str, OperatorSpec]:
    both = {"jobset": jobset, "trainer": trainer}
    return {section: spec for section, spec in both.items() if isinstance(spec, OperatorSpec)}


def _is_elsewhere(config: StackConfig, pool: str | None) -> bool:
    return isinstance(config.gpu_node_pools.get(pool or ""), ReferencedPool)


def _check_operators_here(
    loaded: LoadedStack, operators: Mapping[str, OperatorSpec], pools: Mapping[str, GpuNodePoolSpec]
) -> Iterator[Violation]:
    config = loaded.config
    others = config.cluster is None or config.cluster.other_nodes
    for section, spec in operators.items():
        if not spec.chart.startswith(OCI):
            yield from check_local_chart(section, spec, loaded.require_local_state)
        yield from check_schedulable(section, spec, pools, others)
        yield from check_image_policies(of_operator(section, spec), config.images, config.policies)


def _check_pools(config: StackConfig, pools: Mapping[str, GpuNodePoolSpec]) -> Iterator[Violation]:
    for name, spec in pools.items():
        path = f"gpuNodePools.{name}"
        yield from (replace(found, path=f"{path}.{found.path}") for found in spec.check())
        yield from check_image_policies(of_pool(path, spec), config.images, config.policies)


def _check_pool_names(loaded: LoadedStack) -> Iterator[Violation]:
    """Yields violations for runtimes whose pool does not exist. An invalid pool does exist; its errors are reported."""
    for name, settings in loaded.config.runtimes.items():
        if settings.node_pool is not None and settings.node_pool not in loaded.pool_names:
            message = f"There is no GPU node pool `{settings.node_pool}`."
            known = [*loaded.pool_names]
            fix = suggest(settings.node_pool, known) if known else "Add it to `gpuNodePools`."
            yield Violation("STK-06", f"runtimes.{name}.nodePool", message, fix)


def _check_validation(
    config: StackConfig,
    runtimes: Mapping[str, Runtime],
    pools: Mapping[str, GpuNodePoolSpec],
    others: Mapping[str, Placement],
) -> Iterator[Violation]:
    if config.validation:
        is_rendered = isinstance(config.cluster, RenderedCluster)
        yield from check_validation(config.validation, [*runtimes.values()], pools, others, is_rendered=is_rendered)


def _not_rendered(pools: Mapping[str, GpuNodePoolSpec]) -> Iterator[Violation]:
    for name, spec in pools.items():
        if spec.provider != "karpenter":
            message = (
                f"Nodes of the provider `{spec.provider}` are made or labelled at once, not by manifests in a folder."
            )
            fix = "Give the pool a stack of its own, and take it from there: `{provider: stack, stack: ...}`."
            yield Violation("STK-06", f"gpuNodePools.{name}.provider", message, fix)
