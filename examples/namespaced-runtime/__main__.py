"""A runtime that the TrainJobs of one namespace alone can use: its team changes it without asking anyone."""

import pulumi
import pulumi_kubernetes as kubernetes
from training_platform.runtimes import TrainingRuntime, torch
from training_platform.training_runtimes import TrainingRuntimes

NAMESPACE = "vision"

context = pulumi.Config().require("context")
cluster = kubernetes.Provider("cluster", context=context)
in_place = kubernetes.Provider("runtimes", context=context, enable_server_side_apply=False)

# Its metadata.name is set: with one that Pulumi makes up, no TrainJob would find it.
namespace = kubernetes.core.v1.Namespace(
    NAMESPACE, metadata={"name": NAMESPACE}, opts=pulumi.ResourceOptions(provider=cluster)
)
# The catalogue makes runtimes for all namespaces. A namespaced one has the same spec.
manifest = torch(name="fine-tune", gpus_per_node=1, memory_per_node="64Gi").to_manifest()
manifest["kind"] = "TrainingRuntime"
manifest["metadata"]["namespace"] = NAMESPACE
runtime = TrainingRuntime.from_manifest(manifest)
runtimes = TrainingRuntimes(
    "runtimes", {"runtimes": [runtime]}, pulumi.ResourceOptions(provider=in_place, depends_on=[namespace])
)

# A TrainJob refers to it with `runtimeRef: {name: fine-tune, kind: TrainingRuntime}`.
pulumi.export("runtimes", runtimes.names)
