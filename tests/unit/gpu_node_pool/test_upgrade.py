"""How many nodes are upgraded at the same time."""

from components.gpu_node_pool.upgrade import Upgrade


def test_default_needs_no_spare_gpus() -> None:
    upgrade = Upgrade()
    assert (upgrade.max_surge, upgrade.max_unavailable, [*upgrade.violations()]) == (0, 1, [])


def test_one_of_the_two_numbers_is_positive() -> None:
    assert [*Upgrade(max_surge=1, max_unavailable=0).violations()] == []
    (violation,) = Upgrade(max_surge=0, max_unavailable=0).violations()
    assert (violation.rule, violation.path, violation.message, violation.fix) == (
        "POOL-08",
        "upgrade.maxUnavailable",
        "maxSurge and maxUnavailable are both 0, so no node could be upgraded.",
        "Set it to 1, which needs no spare GPUs.",
    )
