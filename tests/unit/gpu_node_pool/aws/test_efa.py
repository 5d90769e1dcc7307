"""EFA: the interfaces of a machine, its devices and their plugin."""

from typing import Any

import pytest

from components.gpu_node_pool.aws.efa import Interface, efa_interfaces


def test_efa_has_one_interface_per_card_and_one_address() -> None:
    assert efa_interfaces("p4d.24xlarge", 4, "efa") == (
        Interface(0, 0, "efa"),
        Interface(1, 1, "efa-only"),
        Interface(2, 1, "efa-only"),
        Interface(3, 1, "efa-only"),
    )
    assert efa_interfaces("g5.48xlarge", 1, "efa") == (Interface(0, 0, "efa"),)


def test_efa_is_the_second_device_of_the_first_card_with_karpenter() -> None:
    assert efa_interfaces("g6e.24xlarge", 2, "interface") == (
        Interface(0, 0, "interface"),
        Interface(0, 1, "efa-only"),
        Interface(1, 1, "efa-only"),
    )


@pytest.mark.parametrize("primary", ["efa", "interface"])
def test_first_card_without_efa_has_an_ordinary_interface(primary: Any) -> None:
    interfaces = efa_interfaces("p6-b300.48xlarge", 16, primary)
    assert interfaces[:2] == (Interface(0, 0, "interface"), Interface(1, 0, "efa-only"))
    assert (len(interfaces), interfaces[-1]) == (17, Interface(16, 0, "efa-only"))


@pytest.mark.parametrize("primary", ["efa", "interface"])
@pytest.mark.parametrize(("machine", "devices"), [("p6e-gb200.36xlarge", 17), ("p9.48xlarge", 2), ("u7-gpu.metal", 8)])
def test_cards_of_an_unknown_machine_type_have_one_interface(machine: str, devices: int, primary: Any) -> None:
    """EC2 asks for device 0 on all cards but the first: p6e-gb200 insists on it (aws/aws-parallelcluster#6930)."""
    further = [each for each in efa_interfaces(machine, devices, primary) if each.card]
    assert further == [Interface(card, 0, "efa-only") for card in range(1, devices)]
