"""The releases of Trainer that can be explained."""

import pytest

from components.runtimes.explain import closest_release


@pytest.mark.parametrize(
    ("version", "closest"),
    [
        ("1.9.0", "2.0.0"),
        ("2.0.0", "2.0.0"),
        ("2.0.5", "2.0.0"),
        ("2.1.0", "2.0.0"),
        ("2.2.1", "2.2.0"),
        ("2.3.0-rc.1", "2.3.0"),
        ("2.10.0", "2.3.0"),
        ("main", "2.0.0"),
    ],
)
def test_closest_release_is_the_newest_that_is_not_newer(version: str, closest: str) -> None:
    assert closest_release(version).trainer == closest
