"""DeepSpeed over MPI."""

from ..runtime import ClusterTrainingRuntime
from .mpi import mpi_runtime
from .options import MPIOptions
from .runtime_factory import runtime_factory


@runtime_factory(MPIOptions)
def deepspeed(options: MPIOptions) -> ClusterTrainingRuntime:
    """DeepSpeed over MPI, `deepspeed-distributed`. Arguments are the fields of `MPIOptions`."""
    return mpi_runtime(options, "deepspeed")
