"""GKE's node pools as resources, made with the real SDK: a misspelt argument fails here."""

import sys
from typing import Any

import pulumi
import pytest

from components.gpu_node_pool import GkePool, GpuNodePool
from components.gpu_node_pool.cloud_sdk import MissingSdkError
from components.gpu_node_pool.gke.resources import logical_name

from ...monitor import Registered, run
from ..gke_pool import MINIMAL

TYPE = "gcp:container/nodePool:NodePool"
NO_RESERVATION = {"consumeReservationType": "NO_RESERVATION"}
NODE: dict[str, Any] = {
    "machineType": "a2-highgpu-8g",
    "guestAccelerators": [
        {
            "type": "nvidia-tesla-a100",
            "count": 8,
            "gpuDriverInstallationConfig": {"gpuDriverVersion": "DEFAULT"},
        }
    ],
    "diskSizeGb": 200,
    "gvnic": {"enabled": True},
    "labels": {"nvidia.com/gpu.deploy.operands": "false", "training-platform/node-pool": "gpu"},
    "taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}],
    "oauthScopes": ["https://www.googleapis.com/auth/cloud-platform"],
    "workloadMetadataConfig": {"mode": "GKE_METADATA"},
    "shieldedInstanceConfig": {"enableIntegrityMonitoring": True, "enableSecureBoot": True},
    "metadata": {"disable-legacy-endpoints": "true"},
    "reservationAffinity": NO_RESERVATION,
}
POOL: dict[str, Any] = {
    "cluster": "train",
    "location": "us-central1",
    "nodeLocations": ["us-central1-a"],
    "initialNodeCount": 0,
    "autoscaling": {"totalMinNodeCount": 0, "totalMaxNodeCount": 4, "locationPolicy": "ANY"},
    "management": {"autoRepair": True, "autoUpgrade": True},
    "upgradeSettings": {"strategy": "SURGE", "maxSurge": 0, "maxUnavailable": 1},
    "nodeDrainConfigs": [{"respectPdbDuringNodePoolDeletion": True}],
}


def made(**changed: Any) -> Registered:
    """The node pool, which is all that is made."""
    spec = GkePool.model_validate({**MINIMAL, **changed})
    component, pool = run(lambda: GpuNodePool("gpu", {"spec": spec})).registered.values()
    assert (pool.type, pool.name, pool.parent) == (TYPE, "gpu", component.urn)
    return pool


def test_a_minimal_pool() -> None:
    pool = made()
    assert pool.inputs == {**POOL, "nodeConfig": NODE}
    assert pool.ignore_changes == ("initialNodeCount", "nodeCount")
    assert (pool.replace_on_changes, pool.delete_before_replace, pool.protect) == ((), False, False)
    assert pool.timeouts == ("60m", "60m", "60m")


def test_a_pool_for_production() -> None:
    names = [f"net-{index}" for index in range(1, 9)]
    pool = made(
        cluster=pulumi.Output.from_input("train"),
        project="acme",
        zones=["us-central1-a"],
        machineType="a3-megagpu-8g",
        size={"min": 2, "max": 16, "desired": 4},
        capacity={"kind": "reservation", "reservation": "projects/acme/reservations/h100"},
        network={
            "kind": "gpudirect",
            "networks": [{"network": name, "subnetwork": f"{name}-sub", "name": name} for name in names],
        },
        compact=True,
        driverVersion="latest",
        diskGib=500,
        diskType="pd-ssd",
        serviceAccount="nodes@acme.iam.gserviceaccount.com",
        workloadIdentity=False,
        autoUpgrade=False,
        upgrade={"maxSurge": 1, "maxUnavailable": 0},
        labels={"team": "ml"},
        extraTaints=[{"key": "team", "value": "ml", "effect": "NoExecute"}, {"key": "a", "effect": "PreferNoSchedule"}],
        timeoutMinutes=90,
    )
    node = {
        **NODE,
        "machineType": "a3-megagpu-8g",
        "guestAccelerators": [
            {
                "type": "nvidia-h100-mega-80gb",
                "count": 8,
                "gpuDriverInstallationConfig": {"gpuDriverVersion": "LATEST"},
            }
        ],
        "diskSizeGb": 500,
        "diskType": "pd-ssd",
        "ephemeralStorageLocalSsdConfig": {"localSsdCount": 16},
        "labels": {
            "nvidia.com/gpu.deploy.operands": "false",
            "team": "ml",
            "training-platform/node-pool": "gpu",
        },
        "taints": [
            {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"},
            {"key": "team", "value": "ml", "effect": "NO_EXECUTE"},
            {"key": "a", "value": "", "effect": "PREFER_NO_SCHEDULE"},
        ],
        "serviceAccount": "nodes@acme.iam.gserviceaccount.com",
        "reservationAffinity": {
            "consumeReservationType": "SPECIFIC_RESERVATION",
            "key": "compute.googleapis.com/reservation-name",
            "values": ["projects/acme/reservations/h100"],
        },
    }
    del node["workloadMetadataConfig"]
    assert pool.inputs == {
        **POOL,
        "project": "acme",
        "initialNodeCount": 4,
        "autoscaling": {"totalMinNodeCount": 2, "totalMaxNodeCount": 16, "locationPolicy": "ANY"},
        "management": {"autoRepair": True, "autoUpgrade": False},
        "upgradeSettings": {"strategy": "SURGE", "maxSurge": 1, "maxUnavailable": 0},
        "placementPolicy": {"type": "COMPACT"},
        "networkConfig": {
            "additionalNodeNetworkConfigs": [{"network": name, "subnetwork": f"{name}-sub"} for name in names]
        },
        "nodeConfig": node,
    }
    assert (pool.delete_before_replace, pool.timeouts) == (True, ("90m", "90m", "90m"))


@pytest.mark.parametrize(
    ("capacity", "pool", "node"),
    [
        ({"kind": "on-demand"}, {}, {}),
        ({"kind": "spot"}, {}, {"spot": True}),
        (
            {"kind": "flex-start"},
            {"management": {"autoRepair": False, "autoUpgrade": True}},
            {"flexStart": True, "maxRunDuration": "604800s"},
        ),
        (
            {"kind": "queued", "maxRunHours": 12},
            {"queuedProvisioning": {"enabled": True}, "management": {"autoRepair": False, "autoUpgrade": True}},
            {"flexStart": True, "maxRunDuration": "43200s"},
        ),
        (
            {"kind": "reservation", "reservation": "a100"},
            {},
            {
                "reservationAffinity": {
                    "consumeReservationType": "SPECIFIC_RESERVATION",
                    "key": "compute.googleapis.com/reservation-name",
                    "values": ["a100"],
                }
            },
        ),
    ],
)
def test_each_kind_of_capacity(capacity: dict[str, Any], pool: dict[str, Any], node: dict[str, Any]) -> None:
    expected = {**POOL, **pool, "nodeConfig": {**NODE, **node}}
    if node.get("flexStart"):  # GKE renews these by a strategy of its own, which would differ from any other for ever
        del expected["upgradeSettings"]
    assert made(capacity=capacity).inputs == expected


@pytest.mark.parametrize(
    ("pool", "name"),
    [
        ("h100", "h100"),
        ("8gpus", "p-8gpus"),
        ("a" * 32, "a" * 32),
        ("a" * 33, f"{'a' * 25}-852785"),
        ("a" * 34, f"{'a' * 25}-a27c89"),
    ],
)
def test_node_pool_name_is_valid_for_any_pool(pool: str, name: str) -> None:
    assert logical_name(pool) == name


def test_size_of_a_fixed_pool_is_managed() -> None:
    pool = made(zones=["us-central1-a", "us-central1-b"], size={"min": 4, "max": 4})
    assert pool.inputs["nodeCount"] == 2
    assert not {"initialNodeCount", "autoscaling"} & pool.inputs.keys()
    assert pool.ignore_changes == ()


@pytest.mark.parametrize(
    ("driver", "labels", "image"),
    [
        (
            "operator",
            {"training-platform/node-pool": "gpu", "gke-no-default-nvidia-gpu-device-plugin": "true"},
            "UBUNTU_CONTAINERD",
        ),
        ("none", {"training-platform/node-pool": "gpu"}, None),
    ],
)
def test_another_driver_disables_the_driver_of_gke(driver: str, labels: dict[str, str], image: str | None) -> None:
    node = made(driver=driver).inputs["nodeConfig"]
    assert node["guestAccelerators"][0]["gpuDriverInstallationConfig"] == {"gpuDriverVersion": "INSTALLATION_DISABLED"}
    assert node["labels"] == labels
    assert node.get("imageType") == image
    assert node["shieldedInstanceConfig"]["enableSecureBoot"] is False


def test_warnings_are_shown_for_the_pool() -> None:
    spec = GkePool.model_validate({**MINIMAL, "machineType": "a3-megagpu-8g"})
    ((urn, message),) = run(lambda: GpuNodePool("gpu", {"spec": spec})).log.warnings
    assert urn.endswith("::gpu")
    assert message.endswith("[GKE-06]")


def test_missing_sdk_is_reported_with_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [name for name in sys.modules if name.partition(".")[0] == "pulumi_gcp"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr(sys, "meta_path", [_Missing("pulumi_gcp"), *sys.meta_path])
    spec = GkePool.model_validate(MINIMAL)
    with pytest.raises(MissingSdkError) as missing:
        run(lambda: GpuNodePool("gpu", {"spec": spec}))
    assert str(missing.value) == (
        "GPU node pools of provider `gke` need pulumi_gcp: pip install -r requirements/gke.txt"
    )


class _Missing:
    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(self, name: str, *_: object) -> None:
        if name.partition(".")[0] == self.package:
            raise ModuleNotFoundError(f"No module named {name!r}", name=self.package)
