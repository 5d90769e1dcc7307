"""Amounts that no node has."""

from typing import Any

import pytest

from components.gpu_node_pool.existing.pool import ExistingPool
from components.gpu_node_pool.simulated.spec import SimulatedPool

from .assertions import refusals

SIMULATED: dict[str, Any] = {"provider": "simulated", "nodes": 4, "gpusPerNode": 8}
EXISTING: dict[str, Any] = {"provider": "existing", "nodes": ["a", "b.example.com"], "gpusPerNode": 4}


@pytest.mark.parametrize("pool", [SimulatedPool, ExistingPool])
@pytest.mark.parametrize(
    ("key", "said"), [("cpu", -1), ("cpu", "0"), ("memory", 0), ("memory", "1900"), ("memory", "1023Mi")]
)
def test_impossible_amounts_are_rejected(pool: type[SimulatedPool | ExistingPool], key: str, said: str | int) -> None:
    spec = SIMULATED if pool is SimulatedPool else EXISTING
    assert refusals(pool, {**spec, key: said}) == [
        (
            "POOL-17",
            (key,),
            f"A node cannot have {key} of {said}.",
            "Add the unit: `96`, `190500m`, `1900Gi`.",
        )
    ]
    assert pool.model_validate({**spec, "cpu": "1m", "memory": "1Gi"}).check() == ()
