"""GPU nodes that are there, both operators, and two runtimes for them.

Left out is the gate that keeps a destroy from stopping users' TrainJobs: `stacks/training_platform.py` declares it.
"""

import pulumi
import pulumi_kubernetes as kubernetes
from training_platform.cluster_access import ClusterAccess
from training_platform.gpu_node_pool import ExistingPool, GpuNodePool
from training_platform.jobset import JobSet, JobSetSpec
from training_platform.kubeflow_trainer import KubeflowTrainer, KubeflowTrainerArgs, KubeflowTrainerSpec
from training_platform.runtimes import deepspeed, torch
from training_platform.tenancy import Tenancy
from training_platform.training_runtimes import TrainingRuntimes

context = pulumi.Config().require("context")
cluster = kubernetes.Provider("cluster", context=context)
# CRDs stay when the operators go; this provider takes them over when they come again.
operators = kubernetes.Provider("operators", context=context, upsert_existing_objects=True)
# With server-side apply the preview of a runtime's replacement fails: the API server is asked for an update.
in_place = kubernetes.Provider("runtimes", context=context, enable_server_side_apply=False)


def after(*layers: pulumi.Resource, provider: kubernetes.Provider = cluster) -> pulumi.ResourceOptions:
    """Options of a layer that comes after others."""
    return pulumi.ResourceOptions(provider=provider, depends_on=[*layers])


# Whose the objects are, and how the cluster is asked: what others have made there is not taken over by accident.
tenancy = Tenancy(ClusterAccess(context), f"{pulumi.get_project()}/{pulumi.get_stack()}")
nodes = ExistingPool(provider="existing", nodes=("gpu-node-1", "gpu-node-2"), gpus_per_node=8)
pool = GpuNodePool("gpu", {"spec": nodes}, after())
jobset = JobSet("jobset", {"spec": JobSetSpec(replicas=2), "tenancy": tenancy}, after(pool, provider=operators))
trainer_args: KubeflowTrainerArgs = {"spec": KubeflowTrainerSpec(), "tenancy": tenancy}
trainer = KubeflowTrainer("trainer", trainer_args, after(jobset, provider=operators))
# What pods need to land on the nodes is known here and now, so a runtime that does not fit them is refused at once.
made = [
    deepspeed(name="our-deepspeed", placement=pool.placement, shared_memory="64Gi"),
    torch(name="our-torch", placement=pool.placement, gpus_per_node=4),
]
runtimes = TrainingRuntimes("runtimes", {"runtimes": made, "tenancy": tenancy}, after(trainer, provider=in_place))

pulumi.export("runtimes", runtimes.names)
