"""Patches the labels and a taint of existing nodes."""

from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes

from ..taint import GPU_TAINT
from .pool import ExistingPool


def patch_nodes(pool: str, spec: ExistingPool, opts: pulumi.ResourceOptions) -> None:
    """Declare a patch of each node's labels, and one of its taints if the pool adds its taint. On destroy each patch
    removes what it added; the node is kept.

    All taints of a node are one value with one owner in the API. So the taint is added only to nodes without other
    taints, and not changed afterwards. If others add a taint later, they own the list: the pool's taint is kept on
    destroy, and `kubectl taint nodes NODE nvidia.com/gpu-` removes it.
    """
    for node in spec.nodes:
        kubernetes.core.v1.NodePatch(f"{pool}-{node}", **label_patch(pool, node, spec), opts=opts)
        if spec.adds_gpu_taint:
            once = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(ignore_changes=["spec.taints"]))
            # Names of nodes have no slash, so this name is unique.
            kubernetes.core.v1.NodePatch(f"{pool}-{node}/taint", **taint_patch(node), opts=once)


def label_patch(pool: str, node: str, spec: ExistingPool) -> dict[str, Any]:
    """The patch that is always applied to a node."""
    return {"metadata": {"name": node, "labels": spec.node_labels(pool)}}


def taint_patch(node: str) -> dict[str, Any]:
    """The patch that is applied to a node without other taints."""
    return {"metadata": {"name": node}, "spec": {"taints": [GPU_TAINT.model_dump(exclude_none=True)]}}
