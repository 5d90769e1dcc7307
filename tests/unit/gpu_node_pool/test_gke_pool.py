"""GKE's pools: what is wrong with them, and what pods find there."""

from typing import Any

import pulumi
import pytest

from components.gpu_node_pool.gke_network import TCPX_DAEMON, TCPXO_DAEMON
from components.gpu_node_pool.gke_pool import GkePool
from components.gpu_node_pool.pools import placement

from .refusals import refusals, warnings

POOL: dict[str, Any] = {
    "provider": "gke",
    "cluster": "train",
    "location": "us-central1",
    "zones": ["us-central1-a"],
    "machineType": "a2-highgpu-8g",
    "size": {"max": 4},
}
TWO_ZONES = ["us-central1-a", "us-central1-b"]
FLEX_START = {"kind": "flex-start"}
QUEUED = {"kind": "queued"}


def networks(count: int, at: int = 0, **changed: str) -> dict[str, Any]:
    """So many networks, the one at an index with something changed."""
    names = [f"net-{index}" for index in range(1, count + 1)]
    each = [{"network": name, "subnetwork": f"{name}-sub", "name": name} for name in names]
    each[at] |= changed
    return {"kind": "gpudirect", "networks": each}


def reserved(name: str) -> dict[str, str]:
    return {"kind": "reservation", "reservation": name}


@pytest.mark.parametrize(
    ("changed", "refusal"),
    [
        (
            {"zones": []},
            (
                "GKE-01",
                ("zones",),
                "the pool has no zones; GKE would take all of the cluster's, and few of them have GPUs.",
                "Name the zones that have the machine.",
            ),
        ),
        (
            {"zones": ["us-east1-b"]},
            (
                "GKE-01",
                ("zones", 0),
                "us-east1-b is no zone of us-central1, where the cluster is.",
                "Write `us-central1-` and the zone's letter.",
            ),
        ),
        (
            {"location": "us-central1-c", "zones": ["us-central1"]},
            (
                "GKE-01",
                ("zones", 0),
                "us-central1 is no zone of us-central1, where the cluster is.",
                "Write `us-central1-` and the zone's letter.",
            ),
        ),
        (
            {"location": "US"},
            (
                "GKE-01",
                ("location",),
                "US is no region or zone.",
                "Write the cluster's, `us-central1` or `us-central1-a`.",
            ),
        ),
        (
            {"zones": ["us-central1-a", "us-central1-a"]},
            ("GKE-01", ("zones", 1), "us-central1-a is in the list twice.", "Take it out once."),
        ),
        (
            {"capacity": QUEUED, "size": {"min": 1, "max": 4, "desired": 2}},
            (
                "GKE-02",
                ("size", "min"),
                "min is 1, but queued capacity starts from nothing: a job's machines come with the job.",
                "Write 0, or take it out.",
            ),
        ),
        (
            {"capacity": QUEUED, "size": {"max": 4, "desired": 2}},
            (
                "GKE-02",
                ("size", "desired"),
                "desired is 2, but queued capacity starts from nothing: a job's machines come with the job.",
                "Write 0, or take it out.",
            ),
        ),
        (
            {"capacity": FLEX_START, "size": {"min": 4, "max": 4}},
            (
                "GKE-02",
                ("size", "min"),
                "min and max are both 4, but flex start waits for machines and takes them away again.",
                "Write 0, or take it out.",
            ),
        ),
        (
            {"zones": TWO_ZONES, "size": {"min": 3, "max": 3}},
            (
                "GKE-03",
                ("size", "min"),
                "min is 3, which GKE rounds up to 2 in each of 2 zones: more than max, which is 3.",
                "Write a multiple of 2, or name fewer zones.",
            ),
        ),
        (
            {"zones": TWO_ZONES, "size": {"max": 3, "desired": 3}},
            (
                "GKE-03",
                ("size", "desired"),
                "desired is 3, which GKE rounds up to 2 in each of 2 zones: more than max, which is 3.",
                "Write a multiple of 2, or name fewer zones.",
            ),
        ),
        (
            {"compact": True, "zones": TWO_ZONES},
            (
                "GKE-04",
                ("zones",),
                "nodes that stand close to each other are in one zone, but the pool has 2.",
                "Name one zone, or take `compact` out.",
            ),
        ),
        (
            {"compact": True, "capacity": QUEUED},
            (
                "GKE-04",
                ("compact",),
                "GKE places no queued capacity compactly.",
                "Take it out, or take another kind of capacity.",
            ),
        ),
        (
            {"compact": True, "capacity": FLEX_START},
            (
                "GKE-04",
                ("compact",),
                "with flex start GKE places no a2-highgpu-8g compactly.",
                "Take it out, take another kind of capacity, or a machine of a3-ultragpu or a4.",
            ),
        ),
        (
            {"network": networks(4)},
            (
                "GKE-05",
                ("network", "kind"),
                "a2-highgpu-8g has no GPUDirect that is known here; these have: a3-highgpu-8g, a3-megagpu-8g, "
                "a3-ultragpu-8g, a4-highgpu-8g.",
                "Write `ethernet`, or take one of those machines.",
            ),
        ),
        (
            {"machineType": "a3-megagpu-8g", "network": networks(4)},
            (
                "GKE-05",
                ("network", "networks"),
                "a3-megagpu-8g has 8 network cards beside the first, but 4 networks are given.",
                "Give 8 networks, one for each card.",
            ),
        ),
        (
            {"machineType": "a3-highgpu-8g", "network": networks(4, name="default", at=1)},
            (
                "GKE-05",
                ("network", "networks", 1, "name"),
                "the name default stands for another network already.",
                "Name its own `Network` object.",
            ),
        ),
        (
            {"machineType": "a3-highgpu-8g", "network": networks(4, name="net-1", at=3)},
            (
                "GKE-05",
                ("network", "networks", 3, "name"),
                "the name net-1 stands for another network already.",
                "Name its own `Network` object.",
            ),
        ),
        (
            {"machineType": "a3-highgpu-8g", "network": networks(4, subnetwork="net-1-sub", at=2)},
            (
                "GKE-05",
                ("network", "networks", 2, "subnetwork"),
                "net-1-sub is there twice, and each card is in a subnetwork of its own.",
                "Name its own subnetwork.",
            ),
        ),
        (
            {"capacity": reserved("https://compute.googleapis.com/projects/p/zones/z/reservations/r")},
            (
                "GKE-09",
                ("capacity", "reservation"),
                "https://compute.googleapis.com/projects/p/zones/z/reservations/r is no name of a reservation.",
                "Write its name, or `projects/<project>/reservations/<name>`.",
            ),
        ),
        (
            {"capacity": reserved("projects/other/reservations/r/reservationBlocks/b"), "project": "mine"},
            (
                "GKE-09",
                ("capacity", "reservation"),
                "the block of projects/other/reservations/r/reservationBlocks/b is of another project than mine: GKE "
                "takes whole reservations there.",
                "Name the reservation without its block.",
            ),
        ),
        (
            {"machineType": "a3-ultragpu-8g", "network": networks(9), "diskType": "pd-ssd"},
            (
                "GKE-10",
                ("diskType",),
                "a3-ultragpu-8g boots from no persistent disk, and diskType is pd-ssd.",
                "Take it out, or write `hyperdisk-balanced`.",
            ),
        ),
        (
            {"machineType": "a3-highgpu-8g", "network": networks(4), "driver": "operator"},
            (
                "GKE-12",
                ("driver",),
                "GPUDirect needs Container-Optimized OS and GKE's own driver, and the GPU operator neither.",
                "Write `cloud`, or take `network` out.",
            ),
        ),
        (
            {"upgrade": {"maxSurge": 5, "maxUnavailable": 16}},
            (
                "GKE-13",
                ("upgrade",),
                "GKE renews 20 nodes at once at most, not 21, maxSurge and maxUnavailable together.",
                "Write less.",
            ),
        ),
        (
            {"serviceAccount": "nodes"},
            (
                "GKE-11",
                ("serviceAccount",),
                "nodes is no e-mail address of a service account.",
                "Write `nodes@<project>.iam.gserviceaccount.com`.",
            ),
        ),
        (
            {"machineType": "a9-megagpu-8g", "figures": {"gpus": 8}},
            (
                "GKE-07",
                ("figures", "accelerator"),
                "GKE wants the name of the GPUs, and a9-megagpu-8g is not known here.",
                "Give `accelerator`, such as `nvidia-h100-80gb`.",
            ),
        ),
        (
            {"driver": "operator", "driverVersion": "latest"},
            (
                "GKE-08",
                ("driverVersion",),
                "driverVersion is latest, but driver is operator, and GKE installs none.",
                "Take it out, or write `driver: cloud`.",
            ),
        ),
        (
            {
                "capacity": QUEUED,
                "extraTaints": [{"key": "cloud.google.com/gke-queued", "value": "true", "effect": "NoSchedule"}],
            },
            (
                "POOL-05",
                ("extraTaints", 0),
                "the taint cloud.google.com/gke-queued=true:NoSchedule is there twice: the pool has it in any case, "
                "and a node takes one of a key and effect.",
                "Take it out.",
            ),
        ),
    ],
)
def test_a_mistake_is_told_with_its_fix(changed: dict[str, Any], refusal: Any) -> None:
    assert refusals(GkePool, {**POOL, **changed}) == [refusal]


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"location": "us-central1-c"},
        {"zones": ["us-central1-ai1a"]},
        {"capacity": reserved("a100")},
        {"capacity": reserved("a100/reservationBlocks/b")},
        {"capacity": reserved("projects/other/reservations/r"), "project": "mine"},
        {"capacity": reserved("projects/mine/reservations/r/reservationBlocks/b"), "project": "mine"},
        {"machineType": "a3-ultragpu-8g", "network": networks(9), "diskType": "hyperdisk-extreme"},
        {"diskType": "pd-ssd"},
        {"upgrade": {"maxSurge": 4, "maxUnavailable": 16}},
        {"serviceAccount": "nodes@mine.iam.gserviceaccount.com"},
        {"serviceAccount": "default"},
        {"serviceAccount": pulumi.Output.from_input("made-before")},
        {"zones": TWO_ZONES},
        {"capacity": QUEUED},
        {"capacity": FLEX_START},
        {"capacity": FLEX_START, "size": {"min": 1, "max": 4}},
        {"zones": TWO_ZONES, "size": {"min": 4, "max": 4}},
        {"zones": TWO_ZONES, "size": {"max": 4, "desired": 3}},
        {"compact": True},
        {"compact": True, "capacity": {"kind": "spot"}},
        {"compact": True, "capacity": FLEX_START, "machineType": "a4-highgpu-8g", "network": networks(9)},
        {"machineType": "a3-highgpu-8g", "network": networks(4)},
        {"machineType": "a3-highgpu-8g", "network": networks(4), "driver": "none"},
        {"machineType": "a3-highgpu-4g"},
        {"machineType": "a9-megagpu-8g", "figures": {"gpus": 8, "accelerator": "nvidia-x"}},
        {"driver": "operator"},
        {"driverVersion": "latest"},
    ],
)
def test_its_neighbour_is_accepted_without_a_word(changed: dict[str, Any]) -> None:
    assert warnings(GkePool, {**POOL, **changed}) == []


def test_a_fast_machine_on_a_slow_network_is_a_warning() -> None:
    assert warnings(GkePool, {**POOL, "machineType": "a3-megagpu-8g"}) == [
        (
            "GKE-06",
            "network",
            "without GPUDirect the GPUs of several a3-megagpu-8g reach each other slowly.",
            "Write `gpudirect` and its 8 networks, unless each job stays on one node.",
        )
    ]


def placed(**changed: Any) -> dict[str, Any]:
    made = placement("a100", GkePool.model_validate({**POOL, **changed}))
    return made.model_dump(mode="json", by_alias=True, exclude_none=True)


def test_pods_find_what_gke_leaves_them() -> None:
    assert placed() == {
        "nodeSelector": {"training-platform/node-pool": "a100"},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "gpuResource": "nvidia.com/gpu",
        "gpusPerNode": 8,
        "cpuPerNode": "95690m",
        "memoryPerNode": "675371Mi",
        "maxNodes": 4,
        "architecture": "amd64",
    }


def test_pods_tolerate_the_taints_of_the_pool_and_those_that_gke_puts_there() -> None:
    extra = [{"key": "team", "value": "ml", "effect": "NoExecute"}]
    assert placed(capacity=QUEUED, extraTaints=extra)["tolerations"] == [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "team", "operator": "Equal", "value": "ml", "effect": "NoExecute"},
        {"key": "cloud.google.com/gke-queued", "operator": "Equal", "value": "true", "effect": "NoSchedule"},
    ]


def test_what_is_not_known_of_a_machine_is_not_promised() -> None:
    made = placed(machineType="a4x-highgpu-4g")
    assert (made["gpusPerNode"], made["architecture"]) == (4, "arm64")
    assert not {"cpuPerNode", "memoryPerNode", "network"} & made.keys()


@pytest.mark.parametrize(
    ("machine_type", "cards", "daemon", "image", "mounts"),
    [
        ("a3-highgpu-8g", 4, "tcpx-daemon", TCPX_DAEMON, ["/usr/local/nvidia", "/tmp"]),  # noqa: S108 - the plugin's own path
        ("a3-megagpu-8g", 8, "tcpxo-daemon", TCPXO_DAEMON, ["/usr/local/nvidia", "/dev/aperture_devices"]),
        ("a3-ultragpu-8g", 9, None, None, ["/usr/local/nvidia", "/usr/local/gib"]),
        ("a4-highgpu-8g", 9, None, None, ["/usr/local/nvidia", "/usr/local/gib"]),
    ],
)
def test_gpudirect_gives_pods_interfaces_libraries_and_its_daemon(
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
def test_rdma_is_tuned_for_the_machine(machine_type: str, tuner: str) -> None:
    network = placed(machineType=machine_type, network=networks(9))["network"]
    assert network["env"]["NCCL_TUNER_CONFIG_PATH"] == f"/usr/local/gib/configs/tuner_config_{tuner}.txtpb"


@pytest.mark.parametrize(
    ("machine_type", "given", "disk"),
    [
        ("a2-highgpu-8g", None, None),
        ("a3-highgpu-8g", None, None),
        ("a3-ultragpu-8g", None, "hyperdisk-balanced"),
        ("a4-highgpu-8g", None, "hyperdisk-balanced"),
        ("a4x-highgpu-4g", None, "hyperdisk-balanced"),
        ("a2-highgpu-8g", "pd-ssd", "pd-ssd"),
    ],
)
def test_the_newest_machines_boot_from_a_hyperdisk(machine_type: str, given: str | None, disk: str | None) -> None:
    pool = GkePool.model_validate({**POOL, "machineType": machine_type, "diskType": given})
    assert pool.boot_disk_type == disk
