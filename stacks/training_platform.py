"""What a stack deploys: which layers, in which order, on which cluster."""

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes

from components.finalizers import letting_go, releasing
from components.gpu_node_pool import GpuNodePool
from components.jobset import JobSet
from components.kubeflow_trainer import KubeflowTrainer, KubeflowTrainerArgs
from components.operator_chart import OperatorArgs
from components.runtimes.placement import Placement
from components.tenancy import Tenancy
from components.training_gate import TrainingGate, TrainingGateArgs, leaving
from components.training_runtimes import TrainingRuntimes, TrainingRuntimesArgs
from components.violation import Severity, Violation

from .cluster import AnyTarget, Cluster
from .connection import Connection
from .exports import Exports, OperatorExport
from .invalid_settings import InvalidSettings, listing
from .other_stacks import OperatorOfStack, OtherStacks
from .settings import Settings
from .stack_file import StackFile

WRONG_CLUSTER = "STK-17"


async def deploy(settings: Settings) -> dict[str, Any]:
    """Declares the layers that the settings have: GPU node pools, then JobSet, then Trainer, then runtimes, and last
    the gate that opens when TrainJobs are admitted.

    What other stacks export is read first, and whether the cluster is the one that is meant. Raises InvalidSettings
    before any layer is declared. Returns what the stack exports: `Exports`.
    """
    others = OtherStacks()
    placements = await _placements(settings, others)
    connection = await Connection.to(settings.cluster, others)
    cluster = connection.provider("cluster")
    await _require_meant(settings.cluster, cluster)
    _show_warnings(settings, placements)
    return _layers(settings, placements, connection, cluster).outputs()


def _layers(
    settings: Settings, placements: Mapping[str, Placement], connection: Connection, cluster: kubernetes.Provider
) -> Exports:
    # What a destroy or a killed engine left is taken over; what others made is looked for before.
    operators_provider = connection.provider("operators", upsert_existing_objects=True)
    # A preview of a server-side apply asks the API server about a replacement as if the old object stayed, and fails.
    in_place = connection.provider("runtimes", enable_server_side_apply=False)
    tenancy = connection.access and Tenancy(connection.access, f"{pulumi.get_project()}/{pulumi.get_stack()}")
    operator_args: OperatorArgs = {"tenancy": tenancy} if tenancy else {}
    jobset, trainer, runtimes = None, None, None

    pools = {
        name: GpuNodePool(name, {"spec": spec, "warn": False}, _after([], cluster))
        for name, spec in settings.own_pools.items()
    }
    layers: list[pulumi.Resource] = [*pools.values()]
    if settings.installed_jobset:
        jobset = JobSet(
            "jobset", {"spec": settings.installed_jobset, **operator_args}, _after(layers, operators_provider)
        )
        layers.append(jobset)
    if settings.installed_trainer:
        trainer_args: KubeflowTrainerArgs = {"spec": settings.installed_trainer, **operator_args}
        trainer = KubeflowTrainer("trainer", trainer_args, _after(layers, operators_provider))
        layers.append(trainer)
    operators, external = [each for each in (jobset, trainer) if each], settings.external_jobset
    if settings.runtimes:
        args: TrainingRuntimesArgs = {
            "runtimes": [settings.made_runtime(name, placements) for name in settings.runtimes],
            "adopt": [name for name, runtime in settings.runtimes.items() if runtime.adopt],
            "operators": operators,
            "external": external,
            "warn": False,
        }
        if tenancy:
            args["tenancy"] = tenancy
        if isinstance(settings.trainer, OperatorOfStack):
            args["ready_seconds"] = settings.trainer.ready_seconds
        runtimes = TrainingRuntimes("runtimes", args, _after(layers, in_place))
        layers.append(runtimes)
    if operators and tenancy:
        gate: TrainingGateArgs = {
            "operators": operators,
            "runtimes": runtimes,
            "external": external,
            "tenancy": tenancy,
        }
        TrainingGate("gate", gate, _after(layers, operators_provider))
    if tenancy:
        _know_what_goes(tenancy, jobset, trainer, runtimes)

    return Exports(
        gpu_node_pools={name: pool.placement for name, pool in pools.items()},
        jobset=OperatorExport.of(jobset),
        trainer=OperatorExport.of(trainer),
        runtimes=tuple(runtimes.names) if runtimes else (),
    )


def _know_what_goes(
    tenancy: Tenancy, jobset: JobSet | None, trainer: KubeflowTrainer | None, runtimes: TrainingRuntimes | None
) -> None:
    """Registers the hooks that run when a layer is removed that the settings no longer have: the engine knows them by
    their names, from when the layer was made."""
    if not runtimes:
        letting_go("runtimes", tenancy)
    if not trainer:
        releasing("trainer", tenancy)
    if not jobset and not trainer:
        leaving("gate:leave", {}, (), tenancy)


async def _placements(settings: Settings, others: OtherStacks) -> dict[str, Placement]:
    """What pods need to land in other stacks' pools. Raises InvalidSettings where that, or Trainer, is missing."""
    found = {name: await others.placement(name, spec) for name, spec in settings.other_pools.items()}
    missing = [each for each in found.values() if isinstance(each, Violation)]
    if isinstance(settings.trainer, OperatorOfStack):
        missing.extend(filter(None, [await others.operator("trainer", settings.trainer)]))
    placements = {name: each for name, each in found.items() if isinstance(each, Placement)}
    stops = missing or settings.stopping(settings.of_runtimes(placements))
    if stops:
        raise InvalidSettings(StackFile.of_running(), stops)
    return placements


async def _require_meant(target: AnyTarget, cluster: kubernetes.Provider) -> None:
    """Returns when the cluster is the one whose id the settings give. The providers' own way there is asked."""
    if not isinstance(target, Cluster) or target.id is None:
        return
    namespace = kubernetes.core.v1.Namespace.get("cluster", "kube-system", pulumi.ResourceOptions(provider=cluster))
    # Not known in a preview of a stack whose cluster is yet to come.
    found = await namespace.metadata.uid.future()
    if found not in (None, target.id):
        message = f"The cluster that answers has the id {found}, not {target.id}: it is not the one that is meant."
        fix = "Name the context that leads to the one that is meant. If it was made anew, write its new id here."
        raise InvalidSettings(StackFile.of_running(), [Violation(WRONG_CLUSTER, "cluster.id", message, fix)])


def _show_warnings(settings: Settings, placements: Mapping[str, Placement]) -> None:
    found = [*settings.findings(settings.gpu_node_pools), *settings.of_runtimes(placements)]
    warnings = [violation for violation in found if violation.severity is Severity.WARNING]
    if warnings:
        file = StackFile.of_running()
        count = "1 warning" if len(warnings) == 1 else f"{len(warnings)} warnings"
        pulumi.log.warn(listing(f"{count} about {file.name}.", file, warnings))


def _after(layers: Sequence[pulumi.Resource], provider: kubernetes.Provider) -> pulumi.ResourceOptions:
    return pulumi.ResourceOptions(provider=provider, depends_on=[*layers])
