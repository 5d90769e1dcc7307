"""What a stack deploys: which layers, in which order, on which cluster."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes

from components.admission.runtime_hooks import before_delete_hook
from components.cluster.client import ClusterReadError
from components.cluster.context import StackContext
from components.cluster.ownership import ownership_hook
from components.cluster.stack_identity import StackIdentity
from components.cluster.threads import run_in_thread
from components.gpu_node_pool import GpuNodePool
from components.jobset import JobSet, JobSetArgs
from components.kubeflow_trainer import KubeflowTrainer, KubeflowTrainerArgs
from components.operators.chart import OperatorArgs
from components.operators.discovery import namespace_origin
from components.operators.finalizers import remove_finalizers_hook
from components.operators.namespace_removal import leaving_namespace_hook
from components.operators.spec import OperatorSpec
from components.runtimes.placement import Placement
from components.training_gate import TrainingGate, TrainingGateArgs, leaving_hook
from components.training_runtimes import TrainingRuntimes, TrainingRuntimesArgs
from components.validation.violation import Severity, Violation

from .cluster_guard import identify
from .outputs import Exports, OperatorExport
from .providers import Connection
from .settings.errors import InvalidSettingsError, format_report
from .settings.load import Settings
from .settings.stack_file import StackFile
from .stack_references import ReferencedOperator, StackReferences


async def deploy(settings: Settings) -> dict[str, Any]:
    """Declares the layers that the settings have: GPU node pools, then JobSet, then Trainer, then runtimes, and last
    the gate that opens when TrainJobs are admitted.

    What other stacks export is read first, and whether the cluster is the one that is meant. Raises
    InvalidSettingsError before any layer is declared. Returns what the stack exports: `Exports`.
    """
    others = StackReferences()
    placements = await _placements(settings, others)
    connection = await Connection.to(settings.cluster, others)
    platform = await _platform(settings, connection)
    _show_warnings(settings, placements)
    return _layers(settings, placements, platform).outputs()


@dataclass(frozen=True)
class _Platform:
    """What the layers stand on."""

    connection: Connection
    identity: StackIdentity | None
    """What the stack remembers. None: manifests go to a folder, and belong to no cluster."""

    tenancy: StackContext | None
    """The stack and its cluster, for whoever asks it. None likewise."""

    origins: Mapping[str, str]
    """Whether the stack creates the namespaces of its operators, by section; as far as it is known."""

    def provider(self, name: str, **more: Any) -> kubernetes.Provider:
        """A provider of resources. Another address of the same cluster does not replace its resources."""
        if self.identity is None:
            return self.connection.provider(name, **more)
        keeper = pulumi.ResourceOptions(depends_on=[self.identity.keeper] if self.identity.keeper else None)
        return self.connection.provider(name, cluster_identifier=self.identity.cluster, opts=keeper, **more)


async def _platform(settings: Settings, connection: Connection) -> _Platform:
    """Raises InvalidSettingsError where another cluster answers than is meant, or where too little is known of it."""
    if connection.access is None:
        return _Platform(connection, None, None, {})
    answering, identity = await identify(settings.cluster, connection)
    name = f"{pulumi.get_project()}/{pulumi.get_stack()}"
    tenancy = StackContext(connection.access, name, identity.id, answering, is_reached=answering is not None)
    origins = await run_in_thread(_origins, tenancy, settings.operators) if tenancy.is_reached else {}
    return _Platform(connection, identity, tenancy, origins)


def _origins(tenancy: StackContext, operators: Mapping[str, OperatorSpec]) -> dict[str, str]:
    try:
        return {section: namespace_origin(tenancy, spec) for section, spec in operators.items()}
    except ClusterReadError as error:
        message = f"Whether the operators' namespaces are in the cluster already is unknown: {error}."
        fix = "Make the API server answer, or ask for the right to get namespaces, and run this again."
        raise InvalidSettingsError(StackFile.of_running(), [Violation("OPR-04", "cluster", message, fix)]) from None


def _layers(settings: Settings, placements: Mapping[str, Placement], platform: _Platform) -> Exports:
    cluster, tenancy = platform.provider("cluster"), platform.tenancy
    # What a destroy or a killed engine left is taken over; what others made is looked for before.
    operators_provider = platform.provider("operators", upsert_existing_objects=True)
    # A preview of a server-side apply asks the API server about a replacement as if the old object stayed, and fails.
    in_place = platform.provider("runtimes", enable_server_side_apply=False)
    interrupt = any(each.interrupt_train_jobs for each in settings.operators.values()) or (
        isinstance(settings.trainer, ReferencedOperator) and settings.trainer.interrupt_train_jobs
    )
    jobset, trainer, runtimes = None, None, None

    pools = {
        name: GpuNodePool(name, {"spec": spec, "warn": False}, _options([], cluster))
        for name, spec in settings.own_pools.items()
    }
    layers: list[pulumi.Resource] = [*pools.values()]
    if settings.installed_jobset:
        jobset_args: JobSetArgs = {"spec": settings.installed_jobset, **_operator_args("jobset", platform)}
        jobset = JobSet("jobset", jobset_args, _options(layers, operators_provider))
        layers.append(jobset)
    if settings.installed_trainer:
        trainer_args: KubeflowTrainerArgs = {
            "spec": settings.installed_trainer,
            **_operator_args("trainer", platform),
        }
        trainer = KubeflowTrainer("trainer", trainer_args, _options(layers, operators_provider))
        layers.append(trainer)
    operators, external = [each for each in (jobset, trainer) if each], settings.external_jobset
    if settings.runtimes:
        args: TrainingRuntimesArgs = {
            "runtimes": [settings.runtime(name, placements) for name in settings.runtimes],
            "adopt": [name for name, runtime in settings.runtimes.items() if runtime.adopt],
            "operators": operators,
            "external": external,
            "interrupt_train_jobs": interrupt,
            "warn": False,
        }
        if tenancy:
            args["tenancy"] = tenancy
        if isinstance(settings.trainer, ReferencedOperator):
            args["ready_timeout_seconds"] = settings.trainer.ready_timeout_seconds
        runtimes = TrainingRuntimes("runtimes", args, _options(layers, in_place))
        layers.append(runtimes)
    if operators and tenancy:
        gate: TrainingGateArgs = {
            "operators": operators,
            "runtimes": runtimes,
            "external": external,
            "tenancy": tenancy,
        }
        TrainingGate("gate", gate, _options(layers, operators_provider))
    if tenancy:
        register_removal_hooks(tenancy, [each.spec.section for each in operators], bool(runtimes), interrupt)

    return Exports(
        gpu_node_pools={name: pool.placement for name, pool in pools.items()},
        jobset=OperatorExport.of(jobset),
        trainer=OperatorExport.of(trainer),
        runtimes=tuple(runtimes.names) if runtimes else (),
    )


def _operator_args(section: str, platform: _Platform) -> OperatorArgs:
    args: OperatorArgs = {}
    if platform.tenancy:
        args["tenancy"] = platform.tenancy
    if section in platform.origins:
        args["namespace_origin"] = platform.origins[section]
    return args


def register_removal_hooks(tenancy: StackContext, operators: Sequence[str], runtimes: bool, interrupt: bool) -> None:
    """Registers the hooks that run when a layer is removed that the settings no longer have: the engine knows them by
    their names, from when the layer was made."""
    if not runtimes:
        before_delete_hook("runtimes", tenancy, interrupt)
    for section in {"jobset", "trainer"} - {*operators}:
        ownership_hook(f"{section}:own", tenancy, section, False)
        leaving_namespace_hook(section, None, tenancy)
    if "trainer" not in operators:
        remove_finalizers_hook("trainer", tenancy)
    if not operators:
        ownership_hook("gate:own", tenancy, "trainer", False)
        leaving_hook("gate", {}, (), tenancy)


async def _placements(settings: Settings, others: StackReferences) -> dict[str, Placement]:
    """What pods need to land in other stacks' pools. Raises InvalidSettingsError where that, or Trainer, is missing."""
    found = {name: await others.placement(name, spec) for name, spec in settings.other_pools.items()}
    missing = [each for each in found.values() if isinstance(each, Violation)]
    if isinstance(settings.trainer, ReferencedOperator):
        missing.extend(filter(None, [await others.operator("trainer", settings.trainer)]))
    placements = {name: each for name, each in found.items() if isinstance(each, Placement)}
    stops = missing or settings.stopping(settings.runtime_violations(placements))
    if stops:
        raise InvalidSettingsError(StackFile.of_running(), stops)
    return placements


def _show_warnings(settings: Settings, placements: Mapping[str, Placement]) -> None:
    found = [*settings.violations(settings.gpu_node_pools), *settings.runtime_violations(placements)]
    warnings = [violation for violation in found if violation.severity is Severity.WARNING]
    if warnings:
        file = StackFile.of_running()
        count = "1 warning" if len(warnings) == 1 else f"{len(warnings)} warnings"
        pulumi.log.warn(format_report(f"{count} about {file.name}.", file, warnings))


def _options(layers: Sequence[pulumi.Resource], provider: kubernetes.Provider) -> pulumi.ResourceOptions:
    return pulumi.ResourceOptions(provider=provider, depends_on=[*layers])
