"""Policies for machine learning frameworks and for gang scheduling.

Source of every field and default: pkg/apis/trainer/v1alpha1/trainingruntime_types.go and the CRD of Trainer v2.3.0.
"""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, model_validator
from pydantic_core import PydanticCustomError

from ..k8s.base import ApiModel, FrozenList, Int32, Int64, at_most, unique
from ..validation.errors import raise_errors, rule_error
from ..validation.paths import FieldPath


def _job_name(name: str) -> str:
    if not 1 <= len(name) <= 253:
        fix = "Use the name of a replicated job, 1 to 253 characters."
        raise rule_error("CTR-11", f"A job name cannot have {len(name)} characters.", fix)
    return name


def _container_names(names: tuple[str, ...]) -> tuple[str, ...]:
    if not names:
        raise rule_error("CTR-12", "The list is empty.", "List containers, or remove the target.")
    refused: list[tuple[FieldPath, PydanticCustomError]] = []
    for index, name in enumerate(names):
        if len(name) > 63:
            fix = "Shorten it to at most 63 characters."
            refused.append(((index,), rule_error("CTR-12", f"A name of {len(name)} characters is too long.", fix)))
        if name == "node":
            reason = "The container node gets torchrun's environment anyway and must not be listed."
            refused.append(((index,), rule_error("CTR-13", reason, "Remove it.")))
    if refused:
        raise_errors(refused)
    return names


def _at_least_one(number: int | None) -> int | None:
    if number is not None and number < 1:
        raise rule_error("CTR-06", f"{number} is not a valid number of processes per node.", "Write 1 or more.")
    return number


def _mount_path(path: str) -> str:
    if len(path) > 4096:
        raise rule_error(
            "CTR-05", f"A path of {len(path)} characters is too long.", "Shorten it to at most 4096 characters."
        )
    return path


class EnvInjectionTarget(ApiModel):
    """Containers of one job that get torchrun's environment as well."""

    job_name: Annotated[str, AfterValidator(_job_name)]
    """Name of a replicated job, 1 to 253 characters."""

    container_names: Annotated[
        FrozenList[str], AfterValidator(_container_names), at_most(8, "CTR-12"), unique(rule="CTR-12")
    ]
    """Names of its containers or init containers, 1 to 8, without duplicates. Not `node`, which always gets the
    environment."""


class EnvInjection(ApiModel):
    """Additional containers for torchrun's environment, beside the container `node`."""

    targets: (
        Annotated[FrozenList[EnvInjectionTarget], at_most(16, "CTR-08"), unique("job_name", rule="CTR-09")] | None
    ) = None
    """The containers, by job. At most 16, one for each job."""


class TorchPolicy(ApiModel):
    """PyTorch: Trainer sets torchrun's PET_* environment in the trainer's container `node`, with one process per
    GPU."""

    env_injection: EnvInjection | None = None
    """Additional containers that get the environment. Default: none."""


class MPIPolicy(ApiModel):
    """MPI: SSH keys for all nodes, and a hostfile and mpirun's environment for the launcher."""

    num_proc_per_node: Int32 | None = None
    """Processes on each node: the slots in the hostfile. Default 1."""

    mpi_implementation: Literal["OpenMPI", ""] | None = None
    """The MPI implementation. Default OpenMPI, the only one that works: with `""` the controller fails."""

    ssh_auth_mount_path: Annotated[str, AfterValidator(_mount_path)] | None = None
    """Directory for the SSH keys: `.ssh` in the home of the user that runs sshd and mpirun. At most 4096 characters.
    Default `/root/.ssh`."""

    run_launcher_as_node: bool | None = None
    """Whether the launcher is also a node, which trains. Default false."""


class JAXPolicy(ApiModel):
    """JAX: Trainer sets the coordinator's address, the number of processes and the process id as environment."""


class XGBoostPolicy(ApiModel):
    """XGBoost: Trainer sets the tracker's address, the number of workers and the worker id as environment."""


class FluxPolicy(ApiModel):
    """Flux: an init container installs the framework, and the brokers of all nodes connect to each other."""

    num_proc_per_node: Annotated[Int32, AfterValidator(_at_least_one)] | None = None
    """Processes on each node, 1 or more. Default 1."""


class MLPolicy(ApiModel):
    """Number of nodes and the framework's policy. Set at most one of torch, mpi, jax, xgboost and flux; with none,
    Trainer sets no environment."""

    num_nodes: Int32 | None = None
    """Number of nodes for TrainJobs that do not set one. Default 1."""

    torch: TorchPolicy | None = None
    """PyTorch."""
    mpi: MPIPolicy | None = None
    """MPI."""
    jax: JAXPolicy | None = None
    """JAX."""
    xgboost: XGBoostPolicy | None = None
    """XGBoost."""
    flux: FluxPolicy | None = None
    """Flux."""

    @model_validator(mode="after")
    def _one_policy(self) -> Self:
        chosen = [name for name in ("torch", "mpi", "jax", "xgboost", "flux") if getattr(self, name) is not None]
        if len(chosen) > 1:
            message = f"{' and '.join(chosen)} are mutually exclusive."
            raise rule_error("CTR-03", message, "Keep the policy of the runtime's framework.")
        return self


class CoschedulingPolicy(ApiModel):
    """A PodGroup of the scheduler plugins' coscheduling."""

    schedule_timeout_seconds: Int32 | None = None
    """Seconds that the group may wait until all its pods can be scheduled. Default 60."""


class NetworkTopology(ApiModel):
    """How close to each other in the network Volcano places the pods."""

    mode: Literal["hard", "soft"] | None = None
    """hard (required) or soft (preferred). Default hard."""

    highest_tier_allowed: Int64 | None = None
    """The highest network tier that the pods may span. Default 1."""


class VolcanoPolicy(ApiModel):
    """A PodGroup of Volcano."""

    network_topology: NetworkTopology | None = None
    """How close to each other the pods are placed. Default: no constraint."""


class PodGroupPolicy(ApiModel):
    """Gang scheduling: all pods are scheduled, or none. Set exactly one of the two."""

    coscheduling: CoschedulingPolicy | None = None
    """By the scheduler plugins' coscheduling."""
    volcano: VolcanoPolicy | None = None
    """By Volcano."""
