"""What a stack deploys: which layers, in which order, on which cluster."""

from collections.abc import Sequence
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes

from components.gpu_node_pool import GpuNodePool
from components.jobset import JobSet
from components.kubeflow_trainer import KubeflowTrainer
from components.training_runtimes import TrainingRuntimes

from .cluster import Cluster
from .settings import Settings


def deploy(settings: Settings) -> dict[str, Any]:
    """Declares the layers that the settings have: GPU node pools, then JobSet, then Trainer, then runtimes.

    Returns what the stack exports of each layer that it has:

    - `gpuNodePools`: by name, what pods need to land there: nodeSelector, tolerations, gpuResource, gpusPerNode.
    - `jobset`, `trainer`: version and namespace.
    - `runtimes`: the names that TrainJobs refer to.
    """
    cluster = _provider("cluster", settings.cluster)
    crds = _provider("crds", settings.cluster, upsert_existing_objects=True)
    # A preview of a server-side apply asks the API server about a replacement as if the old object stayed, and fails.
    runtimes_provider = _provider("runtimes", settings.cluster, enable_server_side_apply=False)
    images, jobset, trainer, runtimes = settings.images, None, None, None

    pools = {
        name: GpuNodePool(name, {"spec": images.pool(spec)}, _after([], cluster))
        for name, spec in settings.gpu_node_pools.items()
    }
    layers: list[pulumi.Resource] = [*pools.values()]
    if settings.jobset:
        jobset_spec = images.operator(settings.jobset)
        jobset = JobSet("jobset", {"spec": jobset_spec, "crd_provider": crds}, _after(layers, cluster))
        layers.append(jobset)
    if settings.trainer:
        trainer_spec = images.operator(settings.trainer)
        trainer = KubeflowTrainer("trainer", {"spec": trainer_spec, "crd_provider": crds}, _after(layers, cluster))
        layers.append(trainer)
    if settings.runtimes:
        made = [settings.made_runtime(name) for name in settings.runtimes]
        runtimes = TrainingRuntimes("runtimes", {"runtimes": made}, _after(layers, runtimes_provider))

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
