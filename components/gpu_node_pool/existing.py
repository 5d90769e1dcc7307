"""Existing nodes: their labels and taint, and nothing else of them, are ours."""

from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes

from .pools import GPU_TAINT, ExistingPool, pool_labels


def existing_nodes(pool: str, spec: ExistingPool, opts: pulumi.ResourceOptions) -> None:
    """Declares one patch a node. On destroy each takes away what it brought, and leaves the node."""
    for node in spec.nodes:
        kubernetes.core.v1.NodePatch(f"{pool}-{node}", **node_patch(pool, node, spec), opts=opts)


def node_patch(pool: str, node: str, spec: ExistingPool) -> dict[str, Any]:
    """What is applied to a node. Its API holds the taints of a node as one value, with one owner: where others have
    put taints already, adding ours would take theirs over, and remove them on destroy."""
    labels = {"metadata": {"name": node, "labels": pool_labels(pool, spec)}}
    return labels if spec.taints else labels | {"spec": {"taints": [GPU_TAINT.model_dump(exclude_none=True)]}}
