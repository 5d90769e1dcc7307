"""What a stack deploys: which layers, in which order, on which cluster."""

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes

from components.gpu_node_pool import GpuNodePool
from components.jobset import JobSet, JobSetArgs
from components.kubeflow_trainer import KubeflowTrainer, KubeflowTrainerArgs
from components.runtimes.placement import Placement
from components.training_runtimes import TrainingRuntimes
from components.violation import Severity, Violation

from .cluster import AnyTarget, Cluster, ContextCluster, RenderedCluster, StackCluster
from .exports import Exports, OperatorExport
from .invalid_settings import InvalidSettings, listing
from .other_stacks import OperatorOfStack, OtherStacks
from .settings import Settings
from .stack_file import StackFile

WRONG_CLUSTER = "STK-17"


async def deploy(settings: Settings) -> dict[str, Any]:
    """Declares the layers that the settings have: GPU node pools, then JobSet, then Trainer, then runtimes.

    What other stacks export is read first, and whether the cluster is the one that is meant. Raises InvalidSettings
    before any layer is declared. Returns what the stack exports: `Exports`.
    """
    others = OtherStacks()
    placements = await _placements(settings, others)
    connection = _connection(settings.cluster, others)
    cluster = kubernetes.Provider("cluster", **connection)
    await _require_meant(settings.cluster, cluster)
    _show_warnings(settings, placements)
    return _layers(settings, placements, connection, cluster).outputs()


def _layers(
    settings: Settings,
    placements: Mapping[str, Placement],
    connection: Mapping[str, Any],
    cluster: kubernetes.Provider,
) -> Exports:
    crds = kubernetes.Provider("crds", **connection, upsert_existing_objects=True)
    # A preview of a server-side apply asks the API server about a replacement as if the old object stayed, and fails.
    in_place = kubernetes.Provider("runtimes", **connection, enable_server_side_apply=False)
    jobset, trainer, runtimes = None, None, None

    pools = {
        name: GpuNodePool(name, {"spec": spec, "warn": False}, _after([], cluster))
        for name, spec in settings.own_pools.items()
    }
    layers: list[pulumi.Resource] = [*pools.values()]
    if settings.installed_jobset:
        jobset_args: JobSetArgs = {"spec": settings.installed_jobset, "crd_provider": crds}
        jobset = JobSet("jobset", jobset_args, _after(layers, cluster))
        layers.append(jobset)
    if settings.installed_trainer:
        trainer_args: KubeflowTrainerArgs = {"spec": settings.installed_trainer, "crd_provider": crds}
        trainer = KubeflowTrainer("trainer", trainer_args, _after(layers, cluster))
        layers.append(trainer)
    if settings.runtimes:
        made = [settings.made_runtime(name, placements) for name in settings.runtimes]
        runtimes = TrainingRuntimes("runtimes", {"runtimes": made, "warn": False}, _after(layers, in_place))

    return Exports(
        gpu_node_pools={name: pool.placement for name, pool in pools.items()},
        jobset=OperatorExport.of(jobset),
        trainer=OperatorExport.of(trainer),
        runtimes=tuple(runtimes.names) if runtimes else (),
    )


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


def _connection(target: AnyTarget, others: OtherStacks) -> dict[str, Any]:
    """How the Kubernetes providers reach it."""
    match target:
        case ContextCluster():
            return {"kubeconfig": target.kubeconfig, "context": target.context}
        case StackCluster():
            return {"kubeconfig": others.kubeconfig(target.stack, target.output), "context": target.context}
        case RenderedCluster():
            # An empty kubeconfig keeps $KUBECONFIG out, which the provider refuses beside a folder.
            folder = {"render_yaml_to_directory": target.render_to, "always_render": True}
            return {"kubeconfig": "", **folder}


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
