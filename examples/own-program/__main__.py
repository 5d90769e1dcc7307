"""GPU nodes that are there, both operators, two runtimes for them, and the gate: `up` ends when TrainJobs are admitted.

A destroy is `pulumi destroy --run-program`: it looks for unfinished TrainJobs before it removes anything.
"""

import pulumi
from training_platform import ExistingPool, TrainingPlatform, deepspeed, torch

nodes = ExistingPool(provider="existing", nodes=("gpu-node-1", "gpu-node-2"), gpus_per_node=8)
# What pods need to land on the nodes is known here and now, so a runtime that does not fit them is refused at once.
placement = nodes.placement("gpu")

platform = TrainingPlatform(
    "training",
    {
        "context": pulumi.Config().require("context"),
        "gpu_node_pools": {"gpu": nodes},
        "jobset": {"replicas": 2},
        "runtimes": [
            deepspeed(name="our-deepspeed", placement=placement, shared_memory="64Gi"),
            torch(name="our-torch", placement=placement, gpus_per_node=4),
        ],
    },
)

pulumi.export("runtimes", platform.runtimes)
