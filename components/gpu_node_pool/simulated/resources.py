"""Simulated nodes: Node objects that report GPUs, with kwok instead of a kubelet."""

from typing import Any

import pulumi

from ..taint import GPU_TAINT
from .spec import SimulatedPool


def declare_nodes(pool: str, spec: SimulatedPool, opts: pulumi.ResourceOptions) -> None:
    """Declare the nodes `<pool>-0` to `<pool>-<nodes - 1>`."""
    for index in range(spec.nodes):
        # The typed class of Node has no argument for the status, which has the node's resources.
        node = node_manifest(pool, f"{pool}-{index}", spec)
        pulumi.CustomResource("kubernetes:core/v1:Node", node["metadata"]["name"], node, opts)


def node_manifest(pool: str, name: str, spec: SimulatedPool) -> dict[str, Any]:
    """The Node object. kwok makes it ready and does not change what its status already has."""
    has = {"cpu": spec.cpu, "memory": spec.memory, "pods": spec.pods, spec.gpu_resource: spec.gpus_per_node}
    quantities = {resource: str(quantity) for resource, quantity in has.items()}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {"kubernetes.io/hostname": name, **spec.node_labels(pool)},
            "annotations": {"kwok.x-k8s.io/node": "fake"},
        },
        "spec": {"taints": [GPU_TAINT.model_dump(exclude_none=True)]},
        "status": {"capacity": quantities, "allocatable": quantities},
    }
