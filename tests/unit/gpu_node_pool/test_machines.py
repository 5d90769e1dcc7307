"""The table of machines: sane, each row with its sources."""

import json
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

from components.gpu_node_pool.machines import (
    Cloud,
    KnownMachine,
    Machine,
    check_machine_type,
    has_other_accelerator,
    machines,
    sources,
)
from components.validation.violation import Violation

CLOUDS: tuple[Cloud, ...] = get_args(Cloud)
ALL = [machine for cloud in CLOUDS for machine in machines(cloud).values()]
GPU_MEMORY_GIB = {
    "A100": (40, 80),
    "A100-40GB": (40, 40),
    "A100-80GB": (80, 80),
    "A10G": (22.35, 22.35),
    "B200": (179.06, 180),
    "B300": (268.59, 268.59),
    "GB200": (192, 192),
    "H100": (80, 80),
    "H100-80GB": (80, 80),
    "H100-80GB-MEGA": (80, 80),
    "H100-94GB": (94, 94),
    "H200": (141, 141),
    "H200-141GB": (141, 141),
    "L4": (22.35, 24),
    "L40S": (44.7, 44.7),
    "RTX-PRO-4500": (32, 32),
    "RTX-PRO-SERVER-6000": (96, 96),
    "T4": (16, 16),
    "T4G": (16, 16),
    "V100": (32, 32),
    "V100-32GB": (32, 32),
}


def test_the_table_has_the_machines_of_three_clouds() -> None:
    assert Counter(machine.provider for machine in ALL) == {"gke": 25, "eks": 60, "aks": 15}


def test_machine_types_are_unique() -> None:
    rows = json.loads(Path("components/gpu_node_pool/machines.json").read_text())["machines"]
    assert len({(row["provider"], row["machineType"]) for row in rows}) == len(rows) == 100


@pytest.mark.parametrize("machine", ALL, ids=lambda machine: machine.machine_type)
def test_row_has_plausible_values(machine: KnownMachine) -> None:
    assert machine.gpus in (1, 2, 4, 8, 16)
    least, most = GPU_MEMORY_GIB[machine.gpu or ""]
    assert least <= (machine.gpu_memory_gib or least) <= most
    assert 4 <= (machine.cpus or 4) <= 224
    assert 8 <= (machine.memory_gib or 8) <= 4096
    assert machine.arch in ("amd64", "arm64")
    assert bool(machine.accelerator) == (machine.provider == "gke")
    assert not machine.efa_interfaces or machine.provider == "eks"
    assert set(machine.sources) <= set(sources())


def test_every_source_is_used_and_has_a_version() -> None:
    assert {source for machine in ALL for source in machine.sources} == set(sources())
    assert [key for key, said in sources().items() if "@" not in said] == ["azure-ndv2-series"]


@pytest.mark.parametrize(
    ("cloud", "machine_type", "hardware"),
    [
        ("gke", "a3-megagpu-8g", (8, 208, 1872, 0)),
        ("eks", "p5.48xlarge", (8, 192, 2048, 32)),
        ("aks", "Standard_ND96isr_H100_v5", (8, 96, 1900, 0)),
    ],
)
def test_known_machine_types_have_their_hardware(
    cloud: Cloud, machine_type: str, hardware: tuple[int, int, int, int]
) -> None:
    machine = machines(cloud)[machine_type]
    assert (machine.gpus, machine.cpus, machine.memory_gib, machine.efa_interfaces) == hardware


def test_unknown_machine_type_requires_a_machine_spec() -> None:
    assert [*check_machine_type("gke", "a3-highgpu-9g", "machineType", None)] == [
        Violation(
            "POOL-04",
            "machineType",
            "Unknown machine type a3-highgpu-9g: its GPUs and memory are unknown.",
            "Did you mean `a3-highgpu-8g`? Otherwise set `machineSpec`: `gpus`, `cpus`, `memoryGib`, `arch`.",
        )
    ]
    assert not [*check_machine_type("gke", "a3-highgpu-9g", "machineType", Machine(gpus=9))]


@pytest.mark.parametrize(
    ("cloud", "machine_type", "message"),
    [
        ("eks", "a3-megagpu-8g", "a3-megagpu-8g is a machine type of Google Cloud, but this pool is on AWS."),
        ("aks", "p5.48xlarge", "p5.48xlarge is a machine type of AWS, but this pool is on Azure."),
        (
            "gke",
            "Standard_ND96isr_H100_v5",
            "Standard_ND96isr_H100_v5 is a machine type of Azure, but this pool is on Google ",
        ),
        ("eks", "m5.large", "m5.large has no GPUs."),
        ("eks", "c7gn.16xlarge", "c7gn.16xlarge has no GPUs."),
        ("gke", "e2-medium", "e2-medium has no GPUs."),
        ("aks", "Standard_D8s_v5", "Standard_D8s_v5 has no GPUs."),
        ("eks", "p9.48xlarge", "Unknown machine type p9.48xlarge: "),
        ("gke", "n1-standard-7", "Unknown machine type n1-standard-7: "),
    ],
)
def test_message_names_the_cloud_of_a_machine_type_or_its_missing_gpus(
    cloud: Cloud, machine_type: str, message: str
) -> None:
    (violation,) = check_machine_type(cloud, machine_type, "machineType", None)
    assert violation.message.startswith(message)


@pytest.mark.parametrize(
    ("cloud", "machine_type"),
    [
        ("gke", "ct5lp-hightpu-4t"),
        ("gke", "tpu7x-standard-4t"),
        ("eks", "g4ad.16xlarge"),
        ("eks", "trn1n.32xlarge"),
        ("eks", "inf2.xlarge"),
        ("aks", "Standard_ND96isr_MI300X_v5"),
        ("aks", "Standard_NV32as_v4"),
        ("aks", "Standard_NG8ads_V620_v1"),
        ("aks", "Standard_NP10s"),
    ],
)
@pytest.mark.parametrize("machine_spec", [None, Machine(gpus=8)])
def test_a_machine_type_without_nvidia_gpus_is_rejected(
    cloud: Cloud, machine_type: str, machine_spec: Machine | None
) -> None:
    assert [*check_machine_type(cloud, machine_type, "machineType", machine_spec)] == [
        Violation(
            "POOL-15",
            "machineType",
            f"{machine_type} has no NVIDIA GPUs, and no other GPUs are supported.",
            "Use a machine type with NVIDIA GPUs, such as those in `machines.json`.",
        )
    ]


def test_every_machine_of_the_table_has_nvidia_gpus() -> None:
    assert [each for each in ALL if has_other_accelerator(each.provider, each.machine_type)] == []
    assert not has_other_accelerator("aks", "Standard_NV12ads_A10_v5")


def test_machine_spec_that_contradicts_the_table_is_rejected() -> None:
    assert not [*check_machine_type("gke", "a4x-highgpu-4g", "machineType", Machine(gpus=4, cpus=140, memory_gib=884))]
    wrong = Machine(gpus=8, cpus=140)
    assert [*check_machine_type("gke", "a4x-highgpu-4g", "machineType", wrong)] == [
        Violation(
            "POOL-04",
            "machineSpec.gpus",
            "gpus is 8, but a4x-highgpu-4g has 4.",
            "Remove `gpus`, or use another machine type.",
        )
    ]
