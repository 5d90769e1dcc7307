"""One runtime of a team, in a pool that another team's stack has made and exports."""

from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes
from training_platform.runtimes import Placement, deepspeed, with_container
from training_platform.training_runtimes import TrainingRuntimes

config = pulumi.Config()


def whole(value: Any) -> Any:
    """Whole numbers for what the engine hands out as floats."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


async def main() -> pulumi.Inputs:
    """Declares the runtime. Awaiting the other stack's output gives plain values, in a preview too."""
    platform = pulumi.StackReference(config.require("platform"))
    pools = (await platform.get_output_details("gpuNodePools")).value or {}
    pool = Placement.model_validate({key: whole(value) for key, value in pools["gpu"].items()})

    speech = deepspeed(
        name="speech",
        image="registry.example.com/speech/train:7",
        nodes=2,
        placement=pool,
        env={"NCCL_DEBUG": "INFO"},
    )
    # What the catalogue has no argument for is changed in a copy, which is checked like any runtime.
    speech = with_container(speech, "launcher", working_dir="/workspace")

    provider = kubernetes.Provider("runtimes", context=config.require("context"), enable_server_side_apply=False)
    runtimes = TrainingRuntimes("runtimes", {"runtimes": [speech]}, pulumi.ResourceOptions(provider=provider))
    return {"runtimes": runtimes.names}


pulumi.run(main)
