"""How the nodes of a training find each other, and how they are scheduled together."""

from typing import Annotated, Literal

from .wire import ApiModel, Int32, Int64, Items, at_most, unique


class EnvInjectionTarget(ApiModel):
    """Further containers that get torchrun's environment."""

    job_name: str
    container_names: Items[str]


class EnvInjection(ApiModel):
    """Where torchrun's environment goes besides the container `node`."""

    targets: Annotated[Items[EnvInjectionTarget], at_most(16, "CTR-08"), unique("job_name", rule="CTR-09")] | None = (
        None
    )


class TorchPolicy(ApiModel):
    """torchrun: PET_* environment variables."""

    env_injection: EnvInjection | None = None


class MPIPolicy(ApiModel):
    """MPI: ssh keys, a hostfile, and mpirun's environment."""

    num_proc_per_node: Int32 | None = None
    mpi_implementation: Literal["OpenMPI", ""] | None = None
    ssh_auth_mount_path: str | None = None
    run_launcher_as_node: bool | None = None


class JAXPolicy(ApiModel):
    """JAX: JAX_* environment variables."""


class XGBoostPolicy(ApiModel):
    """XGBoost: DMLC_* environment variables."""


class FluxPolicy(ApiModel):
    """Flux: a view with the Flux framework, its configuration and curve certificate."""

    num_proc_per_node: Int32 | None = None


class MLPolicy(ApiModel):
    """How many nodes, and how they find each other: at most one of torch, mpi, jax, xgboost, flux."""

    num_nodes: Int32 | None = None
    torch: TorchPolicy | None = None
    mpi: MPIPolicy | None = None
    jax: JAXPolicy | None = None
    xgboost: XGBoostPolicy | None = None
    flux: FluxPolicy | None = None


class CoschedulingPolicy(ApiModel):
    """The scheduler plugins' coscheduling."""

    schedule_timeout_seconds: Int32 | None = None


class NetworkTopology(ApiModel):
    """How near to each other Volcano places the pods."""

    mode: Literal["hard", "soft"] | None = None
    highest_tier_allowed: Int64 | None = None


class VolcanoPolicy(ApiModel):
    """Volcano's gang scheduling."""

    network_topology: NetworkTopology | None = None


class PodGroupPolicy(ApiModel):
    """All pods or none: by one scheduler's pod groups."""

    coscheduling: CoschedulingPolicy | None = None
    volcano: VolcanoPolicy | None = None
