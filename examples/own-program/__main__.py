"""GPU nodes that are there, both operators, two runtimes for them, and the gate: `up` ends when TrainJobs are admitted.

A destroy is `pulumi destroy --run-program`: it looks for unfinished TrainJobs before it removes anything.
"""

import pulumi
import pulumi_kubernetes as kubernetes
from training_platform.cluster.client import ClusterClient
from training_platform.cluster.context import StackContext
from training_platform.gpu_node_pool import ExistingPool, GpuNodePool
from training_platform.jobset import JobSet, JobSetOperatorSpec
from training_platform.kubeflow_trainer import KubeflowTrainer, KubeflowTrainerSpec
from training_platform.runtimes import deepspeed, torch
from training_platform.training_gate import TrainingGate
from training_platform.training_runtimes import TrainingRuntimes

# Providers and hooks reach the cluster by the same kubeconfig.
access = ClusterClient(pulumi.Config().require("context"))
cluster = kubernetes.Provider("cluster", **access.provider_arguments)
# CRDs stay when the operators go; this provider takes them over when they come again.
upserting = kubernetes.Provider("operators", **access.provider_arguments, upsert_existing_objects=True)
# With server-side apply the preview of a runtime's replacement fails: the API server is asked for an update.
in_place = kubernetes.Provider("runtimes", **access.provider_arguments, enable_server_side_apply=False)


def after(*layers: pulumi.Resource, provider: kubernetes.Provider = upserting) -> pulumi.ResourceOptions:
    """Options of a layer that comes after others."""
    return pulumi.ResourceOptions(provider=provider, depends_on=[*layers])


# Whose the objects are, and how the cluster is asked: what others have made there is not taken over by accident.
tenancy = StackContext(access, f"{pulumi.get_project()}/{pulumi.get_stack()}")
nodes = ExistingPool(provider="existing", nodes=("gpu-node-1", "gpu-node-2"), gpus_per_node=8)
pool = GpuNodePool("gpu", {"spec": nodes}, after(provider=cluster))
jobset = JobSet("jobset", {"spec": JobSetOperatorSpec(replicas=2), "tenancy": tenancy}, after(pool))
trainer = KubeflowTrainer("trainer", {"spec": KubeflowTrainerSpec(), "tenancy": tenancy}, after(jobset))
operators = [jobset, trainer]
# What pods need to land on the nodes is known here and now, so a runtime that does not fit them is refused at once.
made = [
    deepspeed(name="our-deepspeed", placement=pool.placement, shared_memory="64Gi"),
    torch(name="our-torch", placement=pool.placement, gpus_per_node=4),
]
runtimes = TrainingRuntimes(
    "runtimes", {"runtimes": made, "operators": operators, "tenancy": tenancy}, after(trainer, provider=in_place)
)
TrainingGate("gate", {"operators": operators, "runtimes": runtimes, "tenancy": tenancy}, after(runtimes))

pulumi.export("runtimes", runtimes.names)
