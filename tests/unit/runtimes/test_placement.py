"""Resources of nodes that are GPUs."""

import pytest

from components.runtimes.placement import is_gpu


@pytest.mark.parametrize(
    ("resource", "gpu"),
    [
        ("nvidia.com/gpu", True),
        ("amd.com/gpu", True),
        ("nvidia.com/mig-1g.5gb", True),
        ("nvidia.com/gpu.shared", False),
        ("nvidia.com/gpumem", False),
        ("memory", False),
        ("vpc.amazonaws.com/efa", False),
        ("gpu", False),
        ("cpu", False),
    ],
)
def test_gpus_and_parts_of_them_are_recognized(resource: str, gpu: bool) -> None:
    assert is_gpu(resource) is gpu
