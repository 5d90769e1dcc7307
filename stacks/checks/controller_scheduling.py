"""Checks that the operators' controllers can be scheduled: they must tolerate the taints of the only node pools."""

from collections.abc import Iterator, Mapping

from components.gpu_node_pool.base import POOL_LABEL, Pool
from components.gpu_node_pool.taint import Taint
from components.k8s.scheduling import Toleration
from components.operators.spec import OperatorSpec
from components.validation.violation import Violation


def check_schedulable(
    operator: str, spec: OperatorSpec, pools: Mapping[str, Pool], other_nodes: bool
) -> Iterator[Violation]:
    """Yield a violation if a controller could not be scheduled, which would block the deployment.

    `operator` is its section. The nodes in question are those of the pool that its `nodeSelector` names, else those of
    all pools, if the cluster has none besides (`other_nodes`).
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
    """As Kubernetes decides it (core/v1, Toleration.ToleratesTaint)."""
    if toleration.effect not in (None, "", taint.effect) or toleration.key not in (None, "", taint.key):
        return False
    return toleration.operator == "Exists" or (toleration.value or "") == (taint.value or "")
