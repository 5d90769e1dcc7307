"""GPUDirect: the fast networks of GKE's machines."""

from typing import Any

import pytest

from components.gpu_node_pool.gke.gpudirect import TCPX_DAEMON, TCPXO_DAEMON
from components.gpu_node_pool.gke.pool import GkePool

from ..assertions import warnings
from .samples import POOL, networks


def test_machine_with_gpudirect_on_ethernet_is_a_warning() -> None:
    assert warnings(GkePool, {**POOL, "machineType": "a3-megagpu-8g"}) == [
        (
            "GKE-06",
            "network",
            "Without GPUDirect, communication between several a3-megagpu-8g is slow.",
            "Set `gpudirect` and its 8 networks, unless every job uses one node.",
        )
    ]


def placed(**changed: Any) -> dict[str, Any]:
    made = GkePool.model_validate({**POOL, **changed}).placement("a100")
    return made.model_dump(mode="json", by_alias=True, exclude_none=True)


@pytest.mark.parametrize(
    ("machine_type", "cards", "daemon", "image", "mounts"),
    [
        ("a3-highgpu-8g", 4, "tcpx-daemon", TCPX_DAEMON, ["/usr/local/nvidia", "/tmp"]),  # noqa: S108 - the plugin's own path
        ("a3-megagpu-8g", 8, "tcpxo-daemon", TCPXO_DAEMON, ["/usr/local/nvidia", "/dev/aperture_devices"]),
        ("a3-ultragpu-8g", 9, None, None, ["/usr/local/nvidia", "/usr/local/gib"]),
        ("a4-highgpu-8g", 9, None, None, ["/usr/local/nvidia", "/usr/local/gib"]),
    ],
)
def test_gpudirect_adds_interfaces_libraries_and_the_daemon(
    machine_type: str, cards: int, daemon: str | None, image: str | None, mounts: list[str]
) -> None:
    network = placed(machineType=machine_type, network=networks(cards))["network"]
    interfaces = ['{"interfaceName":"eth0","network":"default"}']
    interfaces += [f'{{"interfaceName":"eth{index}","network":"net-{index}"}}' for index in range(1, cards + 1)]
    assert network["annotations"]["networking.gke.io/default-interface"] == "eth0"
    assert network["annotations"]["networking.gke.io/interfaces"] == f"[{','.join(interfaces)}]"
    assert [mount["mountPath"] for mount in network["mounts"]] == mounts
    assert {mount["name"] for mount in network["mounts"]} <= {volume["name"] for volume in network["volumes"]}
    assert network["env"]["LD_LIBRARY_PATH"] == "/usr/local/nvidia/lib64"
    assert [(each["name"], each["image"], each["restartPolicy"]) for each in network["sidecars"]] == (
        [(daemon, image, "Always")] if daemon else []
    )
    devices = network["annotations"].get(f"devices.gke.io/container.{daemon}", "")
    assert devices.count("- path: /dev/nvidia") == (10 if daemon else 0)


@pytest.mark.parametrize(("machine_type", "tuner"), [("a3-ultragpu-8g", "a3u"), ("a4-highgpu-8g", "a4")])
def test_rdma_variables_depend_on_the_machine(machine_type: str, tuner: str) -> None:
    network = placed(machineType=machine_type, network=networks(9))["network"]
    assert network["env"]["NCCL_TUNER_CONFIG_PATH"] == f"/usr/local/gib/configs/tuner_config_{tuner}.txtpb"
