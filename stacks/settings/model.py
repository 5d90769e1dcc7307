"""What a stack's file says, section by section, and the rules that hold across sections."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Annotated, Any

from pydantic import Field, PrivateAttr, Tag

from components.gpu_node_pool.existing.spec import ExistingPool
from components.gpu_node_pool.spec import GpuNodePoolSpec
from components.jobset import ExternalJobSet, JobSetOperatorSpec
from components.k8s.names import DnsLabel
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.operators.compatibility import check_chart_keys
from components.operators.spec import OperatorSpec
from components.runtimes import InvalidRuntimeError
from components.runtimes.placement import Placement
from components.validation.model import StrictModel
from components.validation.one_of import OneOf
from components.validation.violation import Severity, Violation

from ..checks.controller_scheduling import check_schedulable
from ..checks.local_chart import check_local_chart
from ..stack_references import ReferencedOperator, ReferencedPool
from .cluster import AnyTarget, RenderedCluster
from .image_inventory import Artifact, check_image_policies, of_operator, of_pool, of_runtime
from .images import OCI, Images
from .operators import JobSetSettings, check_operators_together
from .policies import Policies
from .pydantic_errors import suggest
from .runtimes import Runtime, RuntimeSettings, build_runtime, in_stack_file


def _operator_source(settings: object) -> str:
    """How pydantic tells an operator of another stack from one that this stack installs."""
    elsewhere = "stack" in settings if isinstance(settings, Mapping) else isinstance(settings, ReferencedOperator)
    return "of another stack" if elsewhere else "installed"


ABOUT_GPUS = {"CAT-02", "CAT-14", "SDK-05"}
"""Rules about runtimes without GPUs. Nothing is said of them where a runtime would get its GPUs from a pool that is not
there, or not valid: what is wrong with the pool is told, and the runtime may be right."""


class StackConfig(StrictModel):
    """What a stack's file says. A section that it leaves out is a layer that the stack does not deploy."""

    inherits: DnsLabel | None = None
    """The file that this one is put on top of: `base` is `stacks/base.yaml`, with the same sections. Mappings are
    joined key by key; where both say something else this one counts; a null takes a key away, `none` a section.
    Default: none."""

    cluster: AnyTarget | None = None
    """Where everything goes."""

    gpu_node_pools: dict[DnsLabel, Annotated[GpuNodePoolSpec | ReferencedPool, OneOf("provider")]] = Field(
        default_factory=dict
    )
    """GPU node pools by name. Default: none."""

    jobset: JobSetSettings | None = None
    """The JobSet operator: `{}` for all defaults, or `{mode: external}` where someone else installs it. Default: this
    stack installs none."""

    trainer: (
        Annotated[
            Annotated[KubeflowTrainerSpec, Tag("installed")] | Annotated[ReferencedOperator, Tag("of another stack")],
            OneOf("stack", _operator_source),
        ]
        | None
    ) = None
    """The Kubeflow Trainer operator: `{}` for all defaults, or the stack that has installed it. Default: this stack
    installs none, and asks for none."""

    runtimes: dict[str, RuntimeSettings] = Field(default_factory=dict)
    """Training runtimes by name, the one that TrainJobs refer to. Default: none."""

    images: Images = Field(default_factory=Images)
    """Where images and charts are pulled from. Default: from upstream."""

    policies: Policies = Field(default_factory=Policies)
    """What the platform's owners ask of the rest of the file. Default: nothing."""

    _made: dict[str, tuple[Placement | None, Runtime]] = PrivateAttr(default_factory=dict)

    @cached_property
    def own_pools(self) -> dict[str, GpuNodePoolSpec]:
        """The GPU node pools that this stack makes, their device plugins taken from the mirrors."""
        pools = self.gpu_node_pools.items()
        return {name: self.images.pool(spec) for name, spec in pools if not isinstance(spec, ReferencedPool)}

    @cached_property
    def _own_placements(self) -> dict[str, Placement]:
        return {name: spec.placement(name) for name, spec in self.own_pools.items()}

    @cached_property
    def other_pools(self) -> dict[str, ReferencedPool]:
        """Those of other stacks."""
        return {name: spec for name, spec in self.gpu_node_pools.items() if isinstance(spec, ReferencedPool)}

    @cached_property
    def installed_jobset(self) -> JobSetOperatorSpec | None:
        """JobSet as this stack installs it, from the mirrors."""
        return self.images.operator(self.jobset) if isinstance(self.jobset, JobSetOperatorSpec) else None

    @property
    def external_jobset(self) -> ExternalJobSet | None:
        """What is said of a JobSet that someone else installs."""
        return self.jobset if isinstance(self.jobset, ExternalJobSet) else None

    @cached_property
    def installed_trainer(self) -> KubeflowTrainerSpec | None:
        """Trainer likewise."""
        return self.images.operator(self.trainer) if isinstance(self.trainer, KubeflowTrainerSpec) else None

    @cached_property
    def operators(self) -> dict[str, OperatorSpec]:
        """The operators that this stack installs, by section."""
        both = {"jobset": self.installed_jobset, "trainer": self.installed_trainer}
        return {section: spec for section, spec in both.items() if spec}

    def runtime(self, name: str, placements: Mapping[str, Placement] | None = None) -> Runtime:
        """The runtime of that name, bound to its pool, its images taken from the mirrors. Raises InvalidRuntimeError.

        `placements` are those of other stacks' pools, by their names here. The runtime is made once for a placement.
        """
        settings = self.runtimes[name]
        pool = settings.node_pool or ""
        bound = self._own_placements.get(pool) or (placements or {}).get(pool)
        if name not in self._made or self._made[name][0] != bound:
            self._made[name] = bound, self.images.runtime(build_runtime(name, settings, bound))
        return self._made[name][1]

    def violations(self, pools: Collection[str], reached: bool = True) -> Iterator[Violation]:
        """What is wrong or doubtful although each section is right by itself, as far as this stack alone can tell.

        `pools` are those that the file names, right or wrong. `reached`: whether what `make up` makes must be there.
        """
        yield from _shared_nodes(self.own_pools)
        yield from self._operator_violations(reached)
        if isinstance(self.cluster, RenderedCluster):
            yield from _not_rendered(self.own_pools)
        for name, settings in self.runtimes.items():
            if settings.node_pool is not None and settings.node_pool not in pools:
                message = f"There is no GPU node pool `{settings.node_pool}`."
                fix = suggest(settings.node_pool, list(pools)) if pools else "Add it to `gpuNodePools`."
                yield Violation("STK-06", f"runtimes.{name}.nodePool", message, fix)
        yield from self.runtime_violations({}, [name for name in self.runtimes if not self._is_elsewhere(name)])
        for name, spec in self.own_pools.items():
            path = f"gpuNodePools.{name}"
            yield from (replace(found, path=f"{path}.{found.path}") for found in spec.check())
            yield from check_image_policies(of_pool(path, spec), self.images, self.policies)

    def runtime_violations(
        self, placements: Mapping[str, Placement], names: Collection[str] | None = None
    ) -> Iterator[Violation]:
        """What is wrong or doubtful with runtimes: those in other stacks' pools, or those of these names."""
        for name in filter(self._is_elsewhere, self.runtimes) if names is None else names:
            path = f"runtimes.{name}"
            try:
                made = self.runtime(name, placements)
            except InvalidRuntimeError as error:
                found = [violation for violation in error.violations if violation.severity is Severity.ERROR]
            else:
                yield from check_image_policies(of_runtime(path, made), self.images, self.policies)
                found = [*made.check()]
            if self._lacks_its_pool(name, placements):
                found = [violation for violation in found if violation.rule not in ABOUT_GPUS]
            yield from in_stack_file(path, self.runtimes[name], found)

    def stopping(self, found: Iterable[Violation]) -> list[Violation]:
        """Those violations that stop: mistakes, and warnings too where the policies refuse them."""
        refused = self.policies.warnings == "refused"
        return [violation for violation in found if refused or violation.severity is Severity.ERROR]

    def artifacts(self) -> list[Artifact]:
        """Every image and chart. Raises InvalidRuntimeError."""
        return [
            *(each for name, spec in self.own_pools.items() for each in of_pool(f"gpuNodePools.{name}", spec)),
            *(each for name, spec in self.operators.items() for each in of_operator(name, spec)),
            *(each for name in self.runtimes for each in of_runtime(f"runtimes.{name}", self.runtime(name))),
        ]

    def _lacks_its_pool(self, runtime: str, placements: Mapping[str, Placement]) -> bool:
        pool = self.runtimes[runtime].node_pool
        return pool is not None and pool not in self._own_placements and pool not in placements

    def _is_elsewhere(self, runtime: str) -> bool:
        return self.runtimes[runtime].node_pool in self.other_pools

    def _operator_violations(self, reached: bool) -> Iterator[Violation]:
        others = self.cluster is None or self.cluster.other_nodes
        for section, spec in self.operators.items():
            if not spec.chart.startswith(OCI):
                yield from check_local_chart(section, spec, reached)
            yield from check_chart_keys(spec)
            yield from check_schedulable(section, spec, self.own_pools, others)
            yield from check_image_policies(of_operator(section, spec), self.images, self.policies)
        if self.jobset and self.installed_trainer:
            yield from check_operators_together(self.jobset, self.installed_trainer)


def _shared_nodes(pools: Mapping[str, GpuNodePoolSpec]) -> Iterator[Violation]:
    taken: dict[str, str] = {}
    for pool, spec in pools.items():
        for index, node in enumerate(spec.nodes if isinstance(spec, ExistingPool) else ()):
            if taken.get(node, pool) != pool:
                message = f"{node} is already a node of pool `{taken[node]}`, and a node can belong to only one pool."
                yield Violation("STK-06", f"gpuNodePools.{pool}.nodes[{index}]", message, "Remove it from one of them.")
            taken.setdefault(node, pool)


def _not_rendered(pools: Mapping[str, Any]) -> Iterator[Violation]:
    for name, spec in pools.items():
        if spec.provider != "karpenter":
            message = (
                f"Nodes of the provider `{spec.provider}` are made or labelled at once, not by manifests in a folder."
            )
            fix = "Give the pool a stack of its own, and take it from there: `{provider: stack, stack: ...}`."
            yield Violation("STK-06", f"gpuNodePools.{name}.provider", message, fix)
