"""What a stack deploys: which layers, in which order, on which cluster."""

from collections.abc import Sequence
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes

from components.gpu_node_pool import GpuNodePool
from components.jobset import ExternalJobSet, JobSet, JobSetArgs, JobSetSpec
from components.kubeflow_trainer import KubeflowTrainer, KubeflowTrainerArgs
from components.training_gate import TrainingGate, TrainingGateArgs, admitting
from components.training_runtimes import TrainingRuntimes, TrainingRuntimesArgs

from .cluster import Cluster
from .operators import installed, operator_findings, tenancy_on
from .settings import Settings


def deploy(settings: Settings) -> dict[str, Any]:
    """Declares the layers that the settings have: GPU node pools, then JobSet, then Trainer, then runtimes.

    Returns what the stack exports of each layer that it has:

    - `gpuNodePools`: by name, what pods need to land there: nodeSelector, tolerations, gpuResource, gpusPerNode.
    - `jobset`, `trainer`: version and namespace.
    - `runtimes`: the names that TrainJobs refer to.
    """
    cluster = _provider("cluster", settings.cluster)
    # What a destroy or a killed engine left is taken over; what others made is looked for before.
    operators_provider = _provider("operators", settings.cluster, upsert_existing_objects=True)
    # A preview of a server-side apply asks the API server about a replacement as if the old object stayed, and fails.
    runtimes_provider = _provider("runtimes", settings.cluster, enable_server_side_apply=False)
    images, tenancy = settings.images, tenancy_on(settings.cluster)
    jobset, trainer, runtimes = None, None, None

    pools = {
        name: GpuNodePool(name, {"spec": images.pool(spec)}, _after([], cluster))
        for name, spec in settings.gpu_node_pools.items()
    }
    layers: list[pulumi.Resource] = [*pools.values()]
    if isinstance(settings.jobset, JobSetSpec):
        jobset_args: JobSetArgs = {"spec": images.operator(settings.jobset), "tenancy": tenancy}
        jobset = JobSet("jobset", jobset_args, _after(layers, operators_provider))
        layers.append(jobset)
    if settings.trainer:
        trainer_args: KubeflowTrainerArgs = {"spec": images.operator(settings.trainer), "tenancy": tenancy}
        trainer = KubeflowTrainer("trainer", trainer_args, _after(layers, operators_provider))
        layers.append(trainer)
        for finding in operator_findings(settings.jobset, settings.trainer):
            pulumi.log.warn(str(finding), trainer)
    operators = installed(settings.jobset, settings.trainer)
    external = settings.jobset if isinstance(settings.jobset, ExternalJobSet) else None
    if settings.runtimes:
        args: TrainingRuntimesArgs = {
            "runtimes": [settings.made_runtime(name) for name in settings.runtimes],
            "tenancy": tenancy,
            "ready": admitting("runtimes:ready", operators, (), tenancy, external),
            "adopt": [name for name, runtime in settings.runtimes.items() if runtime.adopt],
        }
        runtimes = TrainingRuntimes("runtimes", args, _after(layers, runtimes_provider))
        layers.append(runtimes)
    if operators:
        manifests = runtimes.manifests if runtimes else []
        gate: TrainingGateArgs = {
            "operators": operators,
            "identities": [each.identity for each in (jobset, trainer) if each],
            "runtimes": manifests,
            "tenancy": tenancy,
        }
        TrainingGate("gate", gate | ({"external": external} if external else {}), _after(layers, operators_provider))

    exports = {
        "gpuNodePools": {
            name: pool.placement.model_dump(mode="json", by_alias=True, exclude_none=True)
            for name, pool in pools.items()
        },
        "jobset": jobset and {"version": jobset.version, "namespace": jobset.namespace},
        "trainer": trainer and {"version": trainer.version, "namespace": trainer.namespace},
        "runtimes": runtimes and runtimes.names,
    }
    return {name: value for name, value in exports.items() if value}


def _provider(
    name: str,
    cluster: Cluster,
    upsert_existing_objects: bool | None = None,
    enable_server_side_apply: bool | None = None,
) -> kubernetes.Provider:
    return kubernetes.Provider(
        name,
        kubeconfig=cluster.kubeconfig,
        context=cluster.context,
        upsert_existing_objects=upsert_existing_objects,
        enable_server_side_apply=enable_server_side_apply,
    )


def _after(layers: Sequence[pulumi.Resource], provider: kubernetes.Provider) -> pulumi.ResourceOptions:
    return pulumi.ResourceOptions(provider=provider, depends_on=[*layers])
