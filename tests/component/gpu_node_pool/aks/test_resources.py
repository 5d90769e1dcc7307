"""AKS' agent pools as resources, made with the real SDK: a misspelt argument fails here."""

from typing import Any

import pulumi
import pytest

from components.gpu_node_pool import AksPool, GpuNodePool
from components.gpu_node_pool.aks.resources import agent_pool_name

from ...monitor import Monitor, Registered, run
from ..aks_pool import GROUP, MINIMAL, NEAR, SUBNET

TYPE = "azure-native:containerservice:AgentPool"
PLUGIN_TYPE = "kubernetes:apps/v1:DaemonSet"
FIXED: dict[str, Any] = {
    "vmSize": "Standard_NC96ads_A100_v4",
    "gpuProfile": {"driver": "Install"},
    "nodeTaints": ["nvidia.com/gpu=present:NoSchedule"],
    "osDiskSizeGB": 200,
    "osDiskType": "Managed",
    "maxPods": 30,
}
UPGRADE = {"maxSurge": "0", "maxUnavailable": "1", "drainTimeoutInMinutes": 30}
POOL: dict[str, Any] = {
    "resourceName": "train",
    "resourceGroupName": "ml",
    "mode": "User",
    "type": "VirtualMachineScaleSets",
    "osType": "Linux",
    "osSKU": "Ubuntu",
    "count": 0,
    "enableAutoScaling": True,
    "minCount": 0,
    "maxCount": 4,
    "nodeLabels": {"nvidia.com/gpu.deploy.operands": "false", "training-platform/node-pool": "gpu"},
    **FIXED,
}
IMMUTABLE = (
    "availabilityZones",
    "capacityReservationGroupID",
    "gpuProfile",
    "maxPods",
    "nodeTaints",
    "osDiskSizeGB",
    "osDiskType",
    "proximityPlacementGroupID",
    "scaleSetEvictionPolicy",
    "scaleSetPriority",
    "spotMaxPrice",
    "vmSize",
    "vnetSubnetID",
)


def ran(**changed: Any) -> Monitor:
    spec = AksPool.model_validate({**MINIMAL, **changed})
    return run(lambda: GpuNodePool("gpu", {"spec": spec}))


def made(**changed: Any) -> Registered:
    (pool,) = ran(**changed).of_type(TYPE)
    return pool


def unnamed(pool: Registered) -> dict[str, Any]:
    """The inputs without the name, which says what cannot be changed."""
    return {name: value for name, value in pool.inputs.items() if name != "agentPoolName"}


def test_minimal_pool_has_an_agent_pool_and_a_device_plugin() -> None:
    component, pool, plugin = ran().by_name()
    assert [(each.type, each.name, each.parent) for each in (pool, plugin)] == [
        (TYPE, "gpu", component.urn),
        (PLUGIN_TYPE, "gpu-nvidia-device-plugin", component.urn),
    ]
    assert unnamed(pool) == {**POOL, "upgradeSettings": UPGRADE}
    assert (pool.ignore_changes, pool.replace_on_changes) == (("count",), IMMUTABLE)
    assert (pool.delete_before_replace, pool.timeouts) == (False, ("60m", "60m", "60m"))
    pod = plugin.inputs["spec"]["template"]["spec"]
    assert pod["nodeSelector"] == {"training-platform/node-pool": "gpu"}
    assert pod["tolerations"] == [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]
    assert [container["image"] for container in pod["containers"]] == ["nvcr.io/nvidia/k8s-device-plugin:v0.17.4"]


def test_a_pool_for_production() -> None:
    monitor = ran(
        cluster=pulumi.Output.from_input("train"),
        machineType="Standard_ND96isr_H100_v5",
        zones=["2"],
        subnet=pulumi.Output.from_input(SUBNET),
        proximityPlacementGroup=NEAR,
        size={"min": 2, "max": 16, "desired": 4},
        capacity={"kind": "reservation", "reservation": GROUP},
        network={"kind": "infiniband"},
        driver="operator",
        diskGib=1024,
        osDiskType="Ephemeral",
        maxPods=60,
        drainMinutes=120,
        labels={"team": "ml"},
        extraTaints=[{"key": "team", "value": "ml", "effect": "NoExecute"}, {"key": "a", "effect": "PreferNoSchedule"}],
        timeoutMinutes=90,
    )
    (pool,) = monitor.of_type(TYPE)
    assert unnamed(pool) == {
        **POOL,
        "vmSize": "Standard_ND96isr_H100_v5",
        "availabilityZones": ["2"],
        "vnetSubnetID": SUBNET,
        "proximityPlacementGroupID": NEAR,
        "count": 4,
        "minCount": 2,
        "maxCount": 16,
        "capacityReservationGroupID": GROUP,
        "gpuProfile": {"driver": "None"},
        "osDiskSizeGB": 1024,
        "osDiskType": "Ephemeral",
        "maxPods": 60,
        "upgradeSettings": {**UPGRADE, "drainTimeoutInMinutes": 120},
        "nodeLabels": {"team": "ml", "training-platform/node-pool": "gpu"},
        "nodeTaints": ["nvidia.com/gpu=present:NoSchedule", "team=ml:NoExecute", "a:PreferNoSchedule"],
    }
    assert (pool.delete_before_replace, pool.timeouts) == (True, ("90m", "90m", "90m"))
    assert monitor.of_type(PLUGIN_TYPE) == []


@pytest.mark.parametrize(
    ("capacity", "changed"),
    [
        ({"kind": "on-demand"}, {"upgradeSettings": UPGRADE}),
        (
            {"kind": "spot"},
            {
                "scaleSetPriority": "Spot",
                "scaleSetEvictionPolicy": "Delete",
                "spotMaxPrice": -1,
                "nodeLabels": {
                    "nvidia.com/gpu.deploy.operands": "false",
                    "training-platform/node-pool": "gpu",
                    "kubernetes.azure.com/scalesetpriority": "spot",
                },
                "nodeTaints": [
                    "nvidia.com/gpu=present:NoSchedule",
                    "kubernetes.azure.com/scalesetpriority=spot:NoSchedule",
                ],
            },
        ),
        (
            {"kind": "reservation", "reservation": GROUP},
            {"upgradeSettings": UPGRADE, "capacityReservationGroupID": GROUP},
        ),
    ],
)
def test_each_kind_of_capacity(capacity: dict[str, Any], changed: dict[str, Any]) -> None:
    assert unnamed(made(capacity=capacity)) == {**POOL, **changed}


def test_immutable_arguments_are_properties_of_the_sdk() -> None:
    spot = made(capacity={"kind": "spot"}, zones=["1"], subnet=SUBNET, proximityPlacementGroup=NEAR)
    reserved = made(capacity={"kind": "reservation", "reservation": GROUP})
    assert set(IMMUTABLE) <= spot.inputs.keys() | reserved.inputs.keys()


def test_size_of_a_fixed_pool_is_managed() -> None:
    pool = made(size={"min": 4, "max": 4})
    assert (pool.inputs["count"], pool.inputs["enableAutoScaling"], pool.ignore_changes) == (4, False, ())
    assert not {"minCount", "maxCount"} & pool.inputs.keys()


@pytest.mark.parametrize("driver", ["operator", "none"])
def test_another_driver_disables_the_driver_of_aks(driver: str) -> None:
    monitor = ran(driver=driver)
    (pool,) = monitor.of_type(TYPE)
    assert pool.inputs["gpuProfile"] == {"driver": "None"}
    assert monitor.of_type(PLUGIN_TYPE) == []


def test_the_device_plugin_runs_on_spot_nodes_from_a_mirror() -> None:
    image = "mirror.example.com/k8s-device-plugin:v1"
    (plugin,) = ran(capacity={"kind": "spot"}, devicePluginImage=image).of_type(PLUGIN_TYPE)
    pod = plugin.inputs["spec"]["template"]["spec"]
    assert [toleration["key"] for toleration in pod["tolerations"]] == [
        "nvidia.com/gpu",
        "kubernetes.azure.com/scalesetpriority",
    ]
    assert pod["containers"][0]["image"] == image


def test_name_changes_only_for_a_replacement() -> None:
    before, name = made(), made().inputs["agentPoolName"]
    assert name == agent_pool_name(
        "gpu",
        {
            "gpu_profile": {"driver": "Install"},
            "max_pods": 30,
            "node_taints": ["nvidia.com/gpu=present:NoSchedule"],
            "os_disk_size_gb": 200,
            "os_disk_type": "Managed",
            "vm_size": "Standard_NC96ads_A100_v4",
        },
    )
    assert before.inputs["agentPoolName"] == name
    in_place = {"size": {"min": 1, "max": 9}, "labels": {"a": "b"}, "upgrade": {"maxSurge": 1}}
    assert made(**in_place).inputs["agentPoolName"] == name
    replacing: list[dict[str, Any]] = [
        {"machineType": "Standard_NC48ads_A100_v4"},
        {"zones": ["1"]},
        {"subnet": SUBNET},
        {"proximityPlacementGroup": NEAR},
        {"capacity": {"kind": "spot"}},
        {"capacity": {"kind": "reservation", "reservation": GROUP}},
        {"driver": "none"},
        {"diskGib": 300},
        {"osDiskType": "Ephemeral"},
        {"maxPods": 31},
        {"extraTaints": [{"key": "a", "effect": "NoSchedule"}]},
    ]
    assert len({name, *(made(**changed).inputs["agentPoolName"] for changed in replacing)}) == len(replacing) + 1
