"""`GpuNodePool`: the nodes of a pool as Pulumi resources."""

from typing import NotRequired, TypedDict, assert_never

import pulumi

from ..runtimes.placement import Placement
from .aks.pool import AksPool
from .aks.resources import declare_agent_pool
from .cloud_sdk import load_sdk
from .eks.pool import EksPool
from .existing.pool import ExistingPool
from .existing.resources import patch_nodes
from .gke.pool import GkePool
from .gke.resources import declare_node_pool
from .karpenter.pool import KarpenterPool
from .karpenter.resources import declare_karpenter_pool
from .simulated.resources import declare_nodes
from .simulated.spec import SimulatedPool
from .spec import GpuNodePoolSpec


class GpuNodePoolArgs(TypedDict):
    """The arguments of `GpuNodePool`."""

    spec: GpuNodePoolSpec
    """The spec of one of the providers."""

    warn: NotRequired[bool]
    """Whether warnings about the spec are shown. Default: true."""


class GpuNodePool(pulumi.ComponentResource):
    """Nodes with GPUs, labeled with the pool's name and tainted, so that only pods that tolerate GPU nodes run there.

    Warnings about the spec are shown as warnings of the component. If the SDK of the pool's cloud is not installed, it
    raises MissingSdkError, which states the command to install it. Nodes are created with the cloud's provider and
    objects in the cluster with the Kubernetes provider: pass both in `providers`, or let Pulumi configure them.
    """

    placement: Placement
    """What pods need to be scheduled in this pool. Known before anything is deployed."""

    def __init__(self, name: str, args: GpuNodePoolArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("training-platform:index:GpuNodePool", name, {}, opts)
        spec, children = args["spec"], pulumi.ResourceOptions(parent=self)
        self.placement = spec.placement(name)
        for violation in spec.check() if args.get("warn", True) else ():
            pulumi.log.warn(str(violation), self)
        match spec:
            case GkePool():
                declare_node_pool(name, spec, children)
            case EksPool():
                load_sdk("pulumi_aws", spec.provider)
                from .eks.resources import declare_node_group

                declare_node_group(name, spec, children)
            case AksPool():
                declare_agent_pool(name, spec, children)
            case KarpenterPool():
                declare_karpenter_pool(name, spec, children)
            case SimulatedPool():
                declare_nodes(name, spec, children)
            case ExistingPool():
                patch_nodes(name, spec, children)
            case _:
                assert_never(spec)
        self.register_outputs({"placement": self.placement.model_dump(mode="json", by_alias=True, exclude_none=True)})
