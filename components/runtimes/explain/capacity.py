"""How many nodes of a pool a training takes."""

from collections.abc import Iterable, Mapping
from typing import Any

from ...k8s.quantities import amount
from ..fit import min_nodes
from ..placement import Placement, is_gpu
from ..topology import INITIALIZERS, LAUNCHER, NODE
from .explanation import Capacity, ExplainedJob


def capacity_in(pool: Placement, jobs: Iterable[ExplainedJob], launcher_trains: bool) -> Capacity:
    """The nodes that the pods of `jobs` need at the same time. A training pod that requests no GPUs takes a node, as
    `bind_to_pool` would give it; initializers take none, and a launcher takes one if it trains."""
    pods = []
    for job in jobs:
        if job.replicated_job in INITIALIZERS:
            continue
        gpus = _gpus(job.manifest["spec"]["template"]["spec"])
        trains = job.replicated_job == NODE or (job.replicated_job == LAUNCHER and launcher_trains)
        if gpus or trains:
            pods.append((job.pods, gpus or pool.gpus_per_node))
    nodes = min_nodes(pods, pool.gpus_per_node) if pool.gpus_per_node else sum(count for count, _ in pods)
    return Capacity(nodes, pool.max_nodes)


def _gpus(pod: Mapping[str, Any]) -> int:
    limits = [(each.get("resources") or {}).get("limits") or {} for each in pod.get("containers") or ()]
    return sum(int(amount(count)) for each in limits for name, count in each.items() if is_gpu(name))
