"""Machines with GPUs: what one node of a machine type has."""

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
    """What one node has. None where it isn't known."""

    gpus: int = Field(ge=1)
    """GPUs."""

    gpu: str | None = None
    """Their model: `H100-80GB`."""

    gpu_memory_gib: float | None = Field(None, gt=0)
    """Memory of one GPU, in GiB."""

    cpus: int | None = Field(None, ge=1)
    """CPUs. Kubernetes keeps some of them for itself."""

    memory_gib: float | None = Field(None, gt=0)
    """Memory, in GiB. Kubernetes keeps some of it for itself."""

    arch: Literal["amd64", "arm64"] | None = None
    """What its CPUs run, as container images name it."""

    accelerator: str | None = None
    """GKE only: the name that it has for the GPUs, `nvidia-h100-80gb`."""

    efa_interfaces: int = Field(0, ge=0)
    """AWS only: network cards that can be an Elastic Fabric Adapter."""

    local_ssds: int | None = Field(None, ge=1)
    """GKE only: local SSDs that come with the machine, for pods' scratch space."""


Cloud = Literal["gke", "eks", "aks"]
"""Whose machines; Karpenter takes those of EKS."""


class KnownMachine(Machine):
    """A row of the table."""

    provider: Cloud
    """Whose machine."""

    machine_type: str
    """As the cloud names it."""

    sources: FrozenList[str] = Field(min_length=1)
    """Keys of the table's list of sources: file or page, at a version."""


class _Table(StrictModel):
    sources: dict[str, str]
    machines: FrozenList[KnownMachine]


@cache
def _table() -> _Table:
    return _Table.model_validate_json(files(__package__).joinpath("machines.json").read_text("utf-8"))


def sources() -> Mapping[str, str]:
    """Where the figures are from, by key."""
    return _table().sources


@cache
def machines(cloud: Cloud) -> Mapping[str, KnownMachine]:
    """The machines of a cloud that are known here, by machine type."""
    return {machine.machine_type: machine for machine in _table().machines if machine.provider == cloud}


OTHER_ACCELERATORS: Mapping[Cloud, str] = {
    "gke": r"ct\d|tpu",
    "eks": r"(dl1|dl2q|f1|f2|g4ad|inf1|inf2|trn1|trn1n|trn2|trn2u|vt1)\.",
    "aks": r"Standard_(NP|NG|NV\d+as_v4|N[A-Z]+\d+\w*_MI\d)",
}
"""How machine types begin that have accelerators, and none of NVIDIA: TPUs, AMD's GPUs, AWS' own chips, FPGAs."""


def has_other_accelerator(cloud: Cloud, machine_type: str) -> bool:
    """Whether a machine type is known to have no NVIDIA GPUs."""
    return re.match(OTHER_ACCELERATORS[cloud], machine_type) is not None


def check_machine_type(cloud: Cloud, machine_type: str, key: str, figures: Machine | None) -> Iterator[Violation]:
    """A machine type that nothing is known of, or of which `figures` say what isn't so. `key` is what the spec has it
    under."""
    known = machines(cloud).get(machine_type)
    if has_other_accelerator(cloud, machine_type):
        message = f"{machine_type} has no NVIDIA GPUs, and what is installed on the nodes here drives no others."
        yield Violation("POOL-15", key, message, "Name a machine with NVIDIA GPUs; `machines.json` lists some.")
    elif known is None and figures is None:
        yield _unknown_machine(cloud, machine_type, key)
    if known is None or figures is None:
        return
    for name in figures.model_fields_set:
        given, table = getattr(figures, name), getattr(known, name)
        if given is not None and table is not None and given != table:
            wire = to_camel(name)
            message = f"{wire} is {given}, but {machine_type} has {table}."
            yield Violation(
                "POOL-04", f"figures.{wire}", message, f"Take `{wire}` out, or name the machine that you mean."
            )


_CLOUD_NAMES: Mapping[Cloud, str] = {"gke": "Google Cloud", "eks": "AWS", "aks": "Azure"}

_WITH_GPUS: Mapping[Cloud, str] = {"gke": r"(a\d|g2|g4|n1)-", "eks": r"(p|g|gr)\d", "aks": r"(Standard_)?N"}
"""How machine types begin that have GPUs or can have some. Others of a cloud have none."""

_OF_CLOUD: Mapping[Cloud, str] = {
    "gke": r"[a-z]\d[a-z]?-[a-z]+(-\d+)?",
    "eks": r"[a-z]+\d[a-z-]*\.\w+",
    "aks": r"Standard_\w+",
}
"""How machine types of a cloud are written."""


def _unknown_machine(cloud: Cloud, machine_type: str, key: str) -> Violation:
    here = _CLOUD_NAMES[cloud]
    for other in get_args(Cloud):
        if other != cloud and machine_type in machines(other):
            message = f"{machine_type} is a machine of {_CLOUD_NAMES[other]}, and this pool is on {here}."
            return Violation("POOL-04", key, message, f"Name a machine of {here}, or change the pool's provider.")
    if re.fullmatch(_OF_CLOUD[cloud], machine_type) and not re.match(_WITH_GPUS[cloud], machine_type):
        return Violation("POOL-04", key, f"{machine_type} has no GPUs.", "Name a machine with NVIDIA GPUs.")
    close = get_close_matches(machine_type, machines(cloud), n=1)
    guess = f"Did you mean `{close[0]}`? Otherwise set" if close else "Set"
    message = f"{machine_type} is not a known machine type, so its GPUs and memory are unknown."
    return Violation("POOL-04", key, message, f"{guess} `figures`: `gpus`, `cpus`, `memoryGib`, `arch`.")
