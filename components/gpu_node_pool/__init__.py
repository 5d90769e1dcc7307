"""GPU node pools: what machines, which labels and taints, and what pods need to land there."""

from typing import NotRequired, TypedDict, assert_never

import pulumi

from ..runtimes.placement import Placement
from .aks import aks_nodes
from .aks_pool import AksPool as AksPool
from .eks_pool import EksPool as EksPool
from .existing import existing_nodes
from .gke import gke_nodes
from .gke_pool import GkePool as GkePool
from .karpenter import karpenter_nodes
from .karpenter_pool import KarpenterPool as KarpenterPool
from .pools import ExistingPool as ExistingPool
from .pools import GpuNodePoolSpec as GpuNodePoolSpec
from .pools import SimulatedPool as SimulatedPool
from .pools import placement
from .sdk import MissingSdk as MissingSdk
from .sdk import load_sdk
from .simulated import simulated_nodes


class GpuNodePoolArgs(TypedDict):
    """What `GpuNodePool` takes."""

    spec: GpuNodePoolSpec
    """Which machines, from which provider."""

    warn: NotRequired[bool]
    """Whether what is doubtful is shown, as warnings of the component. Default: it is."""


class GpuNodePool(pulumi.ComponentResource):
    """Nodes with GPUs, labelled with the pool's name, tainted so that only pods that tolerate GPU nodes land there.

    What is to be said about the spec without stopping it is shown as a warning. A pool of a cloud whose SDK is not
    installed raises MissingSdk, which says what to install. Nodes go to the cloud's own provider, what runs in the
    cluster to the Kubernetes provider: give both in `providers`, or let Pulumi configure them.
    """

    placement: Placement
    """What pods need to land in this pool. Known before anything is deployed."""

    def __init__(self, name: str, args: GpuNodePoolArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("training-platform:index:GpuNodePool", name, {}, opts)
        spec, children = args["spec"], pulumi.ResourceOptions(parent=self)
        self.placement = placement(name, spec)
        for violation in spec.check() if args.get("warn", True) else ():
            pulumi.log.warn(str(violation), self)
        match spec:
            case GkePool():
                gke_nodes(name, spec, children)
            case EksPool():
                load_sdk("pulumi_aws", spec.provider)
                from .eks import eks_nodes

                eks_nodes(name, spec, children)
            case AksPool():
                aks_nodes(name, spec, children)
            case KarpenterPool():
                karpenter_nodes(name, spec, children)
            case SimulatedPool():
                simulated_nodes(name, spec, children)
            case ExistingPool():
                existing_nodes(name, spec, children)
            case _:
                assert_never(spec)
        self.register_outputs({"placement": self.placement.model_dump(mode="json", by_alias=True, exclude_none=True)})
