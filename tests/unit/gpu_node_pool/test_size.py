"""The number of nodes of a pool."""

import pytest

from components.gpu_node_pool.size import Size


@pytest.mark.parametrize(
    ("size", "initial", "autoscaled"),
    [
        (Size(max=4), 0, True),
        (Size(min=1, max=4), 1, True),
        (Size(min=1, max=4, desired=3), 3, True),
        (Size(max=4, desired=0), 0, True),
        (Size(min=4, max=4), 4, False),
    ],
)
def test_pool_begins_with_the_desired_or_the_minimum_number(size: Size, initial: int, autoscaled: bool) -> None:
    assert (size.initial, size.autoscaled, [*size.violations()]) == (initial, autoscaled, [])


@pytest.mark.parametrize(
    ("size", "path", "message", "fix"),
    [
        (Size(min=5, max=4), "size.min", "min is 5, more than max, which is 4.", "Set 4 or less, or raise max."),
        (
            Size(min=5, max=4, desired=9),
            "size.min",
            "min is 5, more than max, which is 4.",
            "Set 4 or less, or raise max.",
        ),
        (
            Size(min=2, max=4, desired=1),
            "size.desired",
            "desired is 1, but the pool has 2 to 4 nodes.",
            "Set 2 to 4, or remove it.",
        ),
        (
            Size(min=2, max=4, desired=5),
            "size.desired",
            "desired is 5, but the pool has 2 to 4 nodes.",
            "Set 2 to 4, or remove it.",
        ),
    ],
)
def test_contradicting_numbers_are_rejected(size: Size, path: str, message: str, fix: str) -> None:
    (violation,) = size.violations()
    assert (violation.rule, violation.path, violation.message, violation.fix) == ("POOL-03", path, message, fix)
