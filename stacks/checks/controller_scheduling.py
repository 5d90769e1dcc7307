"""Checks whether the operators' controllers can be scheduled: if a cluster has only GPU nodes, they must tolerate the
nodes' taints."""

from collections.abc import Iterator, Mapping

from components.gpu_node_pool.base import POOL_LABEL, Pool
from components.gpu_node_pool.taint import Taint
from components.k8s.scheduling import Toleration
from components.operators.spec import OperatorSpec
from components.validation.violation import Violation


def check_schedulable(
    operator: str, spec: OperatorSpec, pools: Mapping[str, Pool], other_nodes: bool
) -> Iterator[Violation]:
    """Yields a violation for a controller that no node accepts: the deployment would wait for it in vain.

    `operator` is its section. If its `nodeSelector` names a pool, only the nodes of that pool are considered. Otherwise
    these are the nodes of all pools, unless the cluster has `other_nodes`.
    """
    named = (spec.node_selector or {}).get(POOL_LABEL)
    possible = {name: pool for name, pool in pools.items() if named in (None, name)}
    if not possible or (named is None and other_nodes):
        return
    kept_off = {name: _untolerated(pool, spec.tolerations or ()) for name, pool in possible.items()}
    if not all(kept_off.values()):
        return
    taints = ", ".join(dict.fromkeys(str(taint) for found in kept_off.values() for taint in found))
    where = f"the pool `{named}`" if named else "the pools of this stack alone"
    message = f"The controller can only run on {where}, but does not tolerate their taint: {taints}."
    fix = "Add a toleration, or run the controller on other nodes (`nodeSelector`); GPU nodes are expensive."
    yield Violation("STK-09", f"{operator}.tolerations", message, fix)


def _untolerated(pool: Pool, tolerations: tuple[Toleration, ...]) -> list[Taint]:
    return [
        taint
        for taint in pool.node_taints
        if taint.effect != "PreferNoSchedule" and not any(_tolerates(each, taint) for each in tolerations)
    ]


def _tolerates(toleration: Toleration, taint: Taint) -> bool:
    """Whether a toleration matches a taint, as in Kubernetes (core/v1, Toleration.ToleratesTaint)."""
    if toleration.effect not in (None, "", taint.effect) or toleration.key not in (None, "", taint.key):
        return False
    return toleration.operator == "Exists" or (toleration.value or "") == (taint.value or "")
