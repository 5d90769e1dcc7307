"""Keys of pools of AWS machines, and values derived from them."""

from typing import Any

import pytest

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
