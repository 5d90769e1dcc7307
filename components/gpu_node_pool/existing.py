"""Existing nodes: their labels and taint, and nothing else of them, are ours."""

from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes

from .pools import ExistingPool
from .taint import GPU_TAINT


def existing_nodes(pool: str, spec: ExistingPool, opts: pulumi.ResourceOptions) -> None:
    """Declares one patch a node. On destroy each takes away what it brought, and leaves the node.

    The API holds all taints of a node as one value with one owner. So ours is put only where nobody else put one, and
    left alone afterwards. Should others add a taint later, the list is theirs: ours stays on destroy, and
    `kubectl taint nodes NODE nvidia.com/gpu-` takes it off.
    """
    opts = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(ignore_changes=["spec.taints"]))
    for node in spec.nodes:
        kubernetes.core.v1.NodePatch(f"{pool}-{node}", **node_patch(pool, node, spec), opts=opts)


def node_patch(pool: str, node: str, spec: ExistingPool) -> dict[str, Any]:
    """What is applied to a node."""
    labels = {"metadata": {"name": node, "labels": spec.node_labels(pool)}}
    return labels if spec.taints else labels | {"spec": {"taints": [GPU_TAINT.model_dump(exclude_none=True)]}}
