"""MLX over MPI."""

from ..runtime import ClusterTrainingRuntime
from .mpi import _mpi
from .options import MPIOptions
from .runtime_factory import entry


@entry(MPIOptions)
def mlx(options: MPIOptions) -> ClusterTrainingRuntime:
    """MLX over MPI, `mlx-distributed`. Arguments are the fields of `MPIOptions`."""
    return _mpi(options, "mlx")
