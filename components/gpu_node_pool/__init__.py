"""GPU node pools: what machines, which labels and taints, and what pods need to land there."""

from typing import TypedDict, assert_never

import pulumi

from ..runtimes.placement import Placement
from .existing import existing_nodes
from .pools import ExistingPool as ExistingPool
from .pools import GpuNodePoolSpec as GpuNodePoolSpec
from .pools import SimulatedPool as SimulatedPool
from .pools import placement
from .simulated import simulated_nodes


class GpuNodePoolArgs(TypedDict):
    """What `GpuNodePool` takes."""

    spec: GpuNodePoolSpec
    """Which machines, from which provider."""


class GpuNodePool(pulumi.ComponentResource):
    """Nodes with GPUs, labelled with the pool's name, tainted so that only pods that tolerate GPU nodes land there."""

    placement: Placement
    """What pods need to land in this pool. Known before anything is deployed."""

    def __init__(self, name: str, args: GpuNodePoolArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("training-platform:index:GpuNodePool", name, {}, opts)
        spec, children = args["spec"], pulumi.ResourceOptions(parent=self)
        self.placement = placement(name, spec)
        match spec:
            case SimulatedPool():
                simulated_nodes(name, spec, children)
            case ExistingPool():
                existing_nodes(name, spec, children)
            case _:
                assert_never(spec)
        self.register_outputs({"placement": self.placement.model_dump(mode="json", by_alias=True, exclude_none=True)})
