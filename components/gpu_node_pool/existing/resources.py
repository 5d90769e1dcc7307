"""Existing nodes: their labels and taint, and nothing else of them, are ours."""

from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes

from ..taint import GPU_TAINT
from .spec import ExistingPool


def patch_nodes(pool: str, spec: ExistingPool, opts: pulumi.ResourceOptions) -> None:
    """Declares a patch of each node's labels, and one of its taints where ours is put there. On destroy each takes away
    what it brought, and leaves the node.

    The API holds all taints of a node as one value with one owner. So ours is put only where nobody else put one, and
    left alone afterwards. Should others add a taint later, the list is theirs: ours stays on destroy, and
    `kubectl taint nodes NODE nvidia.com/gpu-` takes it off.
    """
    for node in spec.nodes:
        kubernetes.core.v1.NodePatch(f"{pool}-{node}", **label_patch(pool, node, spec), opts=opts)
        if spec.adds_gpu_taint:
            once = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(ignore_changes=["spec.taints"]))
            # No name of a node has a slash: this is no other node's patch.
            kubernetes.core.v1.NodePatch(f"{pool}-{node}/taint", **taint_patch(node), opts=once)


def label_patch(pool: str, node: str, spec: ExistingPool) -> dict[str, Any]:
    """What is applied to a node in any case."""
    return {"metadata": {"name": node, "labels": spec.node_labels(pool)}}


def taint_patch(node: str) -> dict[str, Any]:
    """What is applied to a node that nobody else tainted."""
    return {"metadata": {"name": node}, "spec": {"taints": [GPU_TAINT.model_dump(exclude_none=True)]}}
