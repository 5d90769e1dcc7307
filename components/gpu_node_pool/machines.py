"""Machine types with GPUs and the hardware of one node."""

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Literal, get_args

from pydantic import Field
from pydantic.alias_generators import to_camel

from ..validation.model import FrozenList, StrictModel
from ..validation.violation import Violation


class Machine(StrictModel):
    """The hardware of one node. None: unknown."""

    gpus: int = Field(ge=1)
    """Number of GPUs."""

    gpu: str | None = None
    """GPU model, such as `H100-80GB`."""

    gpu_memory_gib: float | None = Field(default=None, gt=0)
    """Memory of one GPU, in GiB."""

    cpus: int | None = Field(default=None, ge=1)
    """Number of CPUs. Kubernetes reserves some of them."""

    memory_gib: float | None = Field(default=None, gt=0)
    """Memory, in GiB. Kubernetes reserves some of it."""

    arch: Literal["amd64", "arm64"] | None = None
    """CPU architecture, as container images name it."""

    accelerator: str | None = None
    """GKE only: GKE's name of the GPUs, such as `nvidia-h100-80gb`."""

    efa_interfaces: int = Field(default=0, ge=0)
    """AWS only: number of network cards that support Elastic Fabric Adapter."""

    local_ssds: int | None = Field(default=None, ge=1)
    """GKE only: number of local SSDs of the machine type, for pods' scratch space."""


Cloud = Literal["gke", "eks", "aks"]
"""The cloud of a machine type. Karpenter uses those of EKS."""


class KnownMachine(Machine):
    """A row of the table."""

    provider: Cloud
    """The cloud."""

    machine_type: str
    """The cloud's name of the machine type."""

    sources: FrozenList[str] = Field(min_length=1)
    """Keys of the table's list of sources: a file or page, at a version."""


class _Table(StrictModel):
    sources: dict[str, str]
    machines: FrozenList[KnownMachine]


@cache
def _table() -> _Table:
    return _Table.model_validate_json(files(__package__).joinpath("machines.json").read_text("utf-8"))


def sources() -> Mapping[str, str]:
    """The sources of the table, by key."""
    return _table().sources


@cache
def machines(cloud: Cloud) -> Mapping[str, KnownMachine]:
    """The known machine types of a cloud."""
    return {machine.machine_type: machine for machine in _table().machines if machine.provider == cloud}


OTHER_ACCELERATORS: Mapping[Cloud, str] = {
    "gke": r"ct\d|tpu",
    "eks": r"(dl1|dl2q|f1|f2|g4ad|inf1|inf2|trn1|trn1n|trn2|trn2u|vt1)\.",
    "aks": r"Standard_(NP|NG|NV\d+as_v4|N[A-Z]+\d+\w*_MI\d)",
}
"""Prefixes of machine types with other accelerators than NVIDIA's: TPUs, AMD's GPUs, AWS' own chips, FPGAs."""


def has_other_accelerator(cloud: Cloud, machine_type: str) -> bool:
    """Whether a machine type is known to have no NVIDIA GPUs."""
    return re.match(OTHER_ACCELERATORS[cloud], machine_type) is not None


def check_machine_type(cloud: Cloud, machine_type: str, key: str, machine_spec: Machine | None) -> Iterator[Violation]:
    """Yield a violation for an unknown machine type, and for a machine spec that contradicts the table.

    `key` is the machine type's key in the pool.
    """
    known = machines(cloud).get(machine_type)
    if has_other_accelerator(cloud, machine_type):
        message = f"{machine_type} has no NVIDIA GPUs, and no other GPUs are supported."
        yield Violation(
            "POOL-15", key, message, "Use a machine type with NVIDIA GPUs, such as those in `machines.json`."
        )
    elif known is None and machine_spec is None:
        yield _unknown_machine(cloud, machine_type, key)
    if known is None or machine_spec is None:
        return
    for name in machine_spec.model_fields_set:
        given, table = getattr(machine_spec, name), getattr(known, name)
        if given is not None and table is not None and given != table:
            wire = to_camel(name)
            message = f"{wire} is {given}, but {machine_type} has {table}."
            yield Violation("POOL-04", f"machineSpec.{wire}", message, f"Remove `{wire}`, or use another machine type.")


_CLOUD_NAMES: Mapping[Cloud, str] = {"gke": "Google Cloud", "eks": "AWS", "aks": "Azure"}

_WITH_GPUS: Mapping[Cloud, str] = {"gke": r"(a\d|g2|g4|n1)-", "eks": r"(p|g|gr)\d", "aks": r"(Standard_)?N"}
"""Beginning of machine types that have GPUs or can have some. Other types of the cloud have none."""

_OF_CLOUD: Mapping[Cloud, str] = {
    "gke": r"[a-z]\d[a-z]?-[a-z]+(-\d+)?",
    "eks": r"[a-z]+\d[a-z-]*\.\w+",
    "aks": r"Standard_\w+",
}
"""Pattern of a cloud's machine types."""


def _unknown_machine(cloud: Cloud, machine_type: str, key: str) -> Violation:
    here = _CLOUD_NAMES[cloud]
    for other in get_args(Cloud):
        if other != cloud and machine_type in machines(other):
            message = f"{machine_type} is a machine type of {_CLOUD_NAMES[other]}, but this pool is on {here}."
            return Violation("POOL-04", key, message, f"Use a machine type of {here}, or change the pool's provider.")
    if re.fullmatch(_OF_CLOUD[cloud], machine_type) and not re.match(_WITH_GPUS[cloud], machine_type):
        return Violation("POOL-04", key, f"{machine_type} has no GPUs.", "Use a machine type with NVIDIA GPUs.")
    close = get_close_matches(machine_type, machines(cloud), n=1)
    guess = f"Did you mean `{close[0]}`? Otherwise set" if close else "Set"
    message = f"Unknown machine type {machine_type}: its GPUs and memory are unknown."
    return Violation("POOL-04", key, message, f"{guess} `machineSpec`: `gpus`, `cpus`, `memoryGib`, `arch`.")
