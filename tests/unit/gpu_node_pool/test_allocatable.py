"""CPU and memory that the clouds leave to pods, beside the examples of their documentation."""

import pytest

from components.gpu_node_pool.allocatable import (
    aks_cpus_for_pods,
    aks_memory_for_pods,
    gke_cpus_for_pods,
    gke_memory_for_pods,
)


@pytest.mark.parametrize(
    ("cpus", "left"), [(1, "940m"), (2, "1930m"), (4, "3920m"), (5, "4917m"), (96, "95690m"), (None, None)]
)
def test_gke_reserves_a_decreasing_share_of_cpus(cpus: int | None, left: str | None) -> None:
    assert gke_cpus_for_pods(cpus) == left


@pytest.mark.parametrize(
    ("gib", "left"),
    [
        (4, "2972Mi"),  # 3 GiB less the 100 MiB for eviction
        (8, "6248Mi"),  # 1 GiB + 0.8 GiB
        (16, "13621Mi"),  # 1.8 GiB + 0.8 GiB
        (128, "121428Mi"),  # 2.6 GiB + 6.72 GiB
        (228, "221780Mi"),  # 9.32 GiB + 2 GiB
        (None, None),
    ],
)
def test_gke_reserves_a_decreasing_share_of_memory_and_a_constant_for_eviction(
    gib: float | None, left: str | None
) -> None:
    assert gke_memory_for_pods(gib) == left


@pytest.mark.parametrize(("cpus", "left"), [(4, "3860m"), (64, "63260m"), (None, None)])
def test_aks_reserves_cpus_by_their_number(cpus: int | None, left: str | None) -> None:
    assert aks_cpus_for_pods(cpus) == left


@pytest.mark.parametrize(
    ("gib", "max_pods", "left"),
    [
        (8, 30, "7472Mi"),  # 650 MB: 20 MB a pod and 50 MB, and 100 MiB for eviction
        (8, 250, "6044Mi"),  # a quarter: less than 5,050 MB
        (220, 110, "223034Mi"),
        (None, 30, None),
    ],
)
def test_aks_reserves_memory_by_the_number_of_pods_up_to_a_quarter(
    gib: float | None, max_pods: int, left: str | None
) -> None:
    assert aks_memory_for_pods(gib, max_pods) == left
