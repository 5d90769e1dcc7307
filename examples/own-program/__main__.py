"""GPU nodes that are there, both operators, and two runtimes for them."""

import pulumi
import pulumi_kubernetes as kubernetes
from training_platform.gpu_node_pool import ExistingPool, GpuNodePool
from training_platform.jobset import JobSet, JobSetSpec
from training_platform.kubeflow_trainer import KubeflowTrainer, KubeflowTrainerSpec
from training_platform.runtimes import deepspeed, torch
from training_platform.training_runtimes import TrainingRuntimes

context = pulumi.Config().require("context")
cluster = kubernetes.Provider("cluster", context=context)
# CRDs stay when the operators go; this provider takes them over when they come again.
crds = kubernetes.Provider("crds", context=context, upsert_existing_objects=True)
# With server-side apply the preview of a runtime's replacement fails: the API server is asked for an update.
in_place = kubernetes.Provider("runtimes", context=context, enable_server_side_apply=False)


def after(*layers: pulumi.Resource, provider: kubernetes.Provider = cluster) -> pulumi.ResourceOptions:
    """Options of a layer that comes after others."""
    return pulumi.ResourceOptions(provider=provider, depends_on=[*layers])


nodes = ExistingPool(provider="existing", nodes=("gpu-node-1", "gpu-node-2"), gpus_per_node=8)
pool = GpuNodePool("gpu", {"spec": nodes}, after())
jobset = JobSet("jobset", {"spec": JobSetSpec(replicas=2), "crd_provider": crds}, after(pool))
trainer = KubeflowTrainer("trainer", {"spec": KubeflowTrainerSpec(), "crd_provider": crds}, after(jobset))
# What pods need to land on the nodes is known here and now, so a runtime that does not fit them is refused at once.
made = [
    deepspeed(name="our-deepspeed", placement=pool.placement, shared_memory="64Gi"),
    torch(name="our-torch", placement=pool.placement, gpus_per_node=4),
]
runtimes = TrainingRuntimes("runtimes", {"runtimes": made}, after(trainer, provider=in_place))

pulumi.export("runtimes", runtimes.names)
