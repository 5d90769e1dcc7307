"""Keys of pools of AWS machines, and values derived from them."""

from typing import Any

import pytest

from components.gpu_node_pool.aws.efa import Interface, efa_interfaces
from components.gpu_node_pool.eks.pool import EksPool
from components.gpu_node_pool.karpenter.pool import KarpenterPool

from .samples import EKS, KARPENTER, NODE_CLASS

EFA = {"network": {"kind": "efa"}}
Pool = type[EksPool | KarpenterPool]
BOTH = pytest.mark.parametrize(("pool", "sound"), [(EksPool, EKS), (KarpenterPool, KARPENTER)])


@BOTH
def test_allocatable_resources_are_less_than_those_of_the_machine(pool: Pool, sound: dict[str, Any]) -> None:
    spec = pool.model_validate(sound)
    # The real p5.48xlarge has 191450m and 1938410Mi, with 100 pods.
    assert (spec.cpu_per_node, spec.memory_per_node) == ("191450m", "1938300Mi")
    unknown = pool.model_validate(sound | {"machineType": "p9.48xlarge", "machineSpec": {"gpus": 8}})
    assert (unknown.cpu_per_node, unknown.memory_per_node) == (None, None)


@pytest.mark.parametrize(
    ("pool", "sound"), [(EksPool, EKS | {"securityGroupIds": ["sg-1"]}), (KarpenterPool, KARPENTER | {"zones": ["a"]})]
)
def test_placement_has_all_efa_devices_of_a_node(pool: Pool, sound: dict[str, Any]) -> None:
    assert pool.model_validate(sound).pod_network is None
    network = pool.model_validate(sound | EFA).pod_network
    assert network
    assert (network.resources, network.env) == ({"vpc.amazonaws.com/efa": 32}, {"FI_PROVIDER": "efa"})


@pytest.mark.parametrize(("image", "plugins"), [("al2023", ["nvidia-device-plugin"]), ("bottlerocket", [])])
def test_no_device_plugin_is_installed_for_bottlerocket(image: str, plugins: list[str]) -> None:
    eks = EksPool.model_validate(EKS | {"image": image})
    karpenter = KarpenterPool.model_validate(KARPENTER | {"nodeClass": NODE_CLASS | {"image": f"{image}@v1"}})
    assert [plugin.name for plugin in eks.device_plugins] == plugins
    assert [plugin.name for plugin in karpenter.device_plugins] == plugins


def test_efa_device_plugin_is_installed_for_every_driver() -> None:
    spec = EksPool.model_validate(EKS | EFA | {"securityGroupIds": ["sg-1"], "driver": "none"})
    assert [(plugin.name, plugin.image) for plugin in spec.device_plugins] == [
        ("efa-device-plugin", "602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/aws-efa-k8s-device-plugin:v0.5.18")
    ]


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
