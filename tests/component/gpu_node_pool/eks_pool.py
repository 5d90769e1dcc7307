"""The smallest pool of EKS, and its resources."""

from typing import Any

from pulumi.runtime import mocks

from components.gpu_node_pool import GpuNodePool
from components.gpu_node_pool.eks.pool import EksPool

from ..monitor import Monitor, run

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"

GROUP = "aws:eks/nodeGroup:NodeGroup"

PLACEMENT = "aws:ec2/placementGroup:PlacementGroup"

MINIMAL: dict[str, Any] = {
    "provider": "eks",
    "cluster": "train",
    "nodeRoleArn": "arn:aws:iam::111122223333:role/nodes",
    "subnetIds": ["subnet-1"],
    "machineType": "g5.12xlarge",
    "size": {"max": 4},
}


class Cloud(mocks.Mocks):
    """Says of a node group what AWS says of it, and of a launch template."""

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str | None, dict[str, Any]]:
        says: dict[str, Any] = {
            GROUP: {"resources": [{"autoscalingGroups": [{"name": "eks-gpu-asg"}]}]},
            TEMPLATE: {"latestVersion": 7},
            PLACEMENT: {"name": f"{args.name}-1a2b3c"},
        }
        return f"{args.name}-id", {**args.inputs, **says.get(args.typ, {})}

    def call(self, args: mocks.MockCallArgs) -> tuple[dict[str, Any], None]:
        raise AssertionError(f"nothing may be looked up: {args.token}")


def declared(said: dict[str, Any]) -> Monitor:
    monitor = Monitor()
    monitor.mocks = Cloud()
    return run(lambda: GpuNodePool("gpu", {"spec": EksPool.model_validate(said)}), monitor=monitor)
