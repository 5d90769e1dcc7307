"""DeepSpeed over MPI."""

from ..runtime import ClusterTrainingRuntime
from .mpi import _mpi
from .options import MPIOptions
from .runtime_factory import entry


@entry(MPIOptions)
def deepspeed(options: MPIOptions) -> ClusterTrainingRuntime:
    """DeepSpeed over MPI, `deepspeed-distributed`. Arguments are the fields of `MPIOptions`."""
    return _mpi(options, "deepspeed")
