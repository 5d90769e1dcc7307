"""What each rank of a validation runs. Only the source of this file is used: the Python of the runtime's image runs it
with `python3 -c`. It needs Python 3.8 or newer, and no package but the framework.

Arguments: the framework, the number of nodes, and how many numbers a measured allreduce has; 0 measures none.
"""

from __future__ import annotations

import atexit
import glob
import json
import os
import socket
import sys
import time
from array import array
from typing import Callable, NamedTuple, Optional  # noqa: UP035 - Python 3.8


class Rank(NamedTuple):
    """One rank. `add` sums up a list of so many equal numbers over all ranks; None: the image cannot."""

    rank: int
    size: int
    gpus: int
    add: Optional[Callable[[int, float], float]]  # noqa: UP045 - Python 3.8


def torch_rank() -> Rank:
    """A process of torchrun, or of mpirun as DeepSpeed uses it."""
    import torch

    has_gpus = torch.cuda.is_available()
    device = "cuda" if has_gpus else "cpu"
    if has_gpus:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    ranks = torch.distributed
    ranks.init_process_group("nccl" if has_gpus else "gloo")

    def add(count: int, value: float) -> float:
        numbers = torch.full((count,), float(value), device=device)
        ranks.all_reduce(numbers)
        return float(numbers[0].item())

    return Rank(ranks.get_rank(), ranks.get_world_size(), torch.cuda.device_count(), add)


def mpi_rank() -> Rank:
    """A process of mpirun. PyTorch is used where the image has it, as DeepSpeed does; else mpi4py, or MLX."""
    rank, size = int(os.environ["OMPI_COMM_WORLD_RANK"]), int(os.environ["OMPI_COMM_WORLD_SIZE"])
    try:
        from mpi4py import MPI
    except ImportError:
        return mlx_rank(rank, size)
    world = MPI.COMM_WORLD
    try:
        import torch  # noqa: F401
    except ImportError:

        def add(count: int, value: float) -> float:
            total = array("f", bytes(4 * count))
            world.Allreduce(array("f", [value]) * count, total)
            return total[0]

        return Rank(rank, size, device_files(), add)
    with socket.socket() as listener:
        listener.bind(("", 0))
        address, port = world.bcast((socket.gethostbyname(socket.gethostname()), listener.getsockname()[1]))
    os.environ.update(MASTER_ADDR=address, MASTER_PORT=str(port), RANK=str(rank), WORLD_SIZE=str(size))
    os.environ["LOCAL_RANK"] = os.environ["OMPI_COMM_WORLD_LOCAL_RANK"]
    return torch_rank()


def mlx_rank(rank: int, size: int) -> Rank:
    """A process of mpirun in an image without mpi4py."""
    try:
        import mlx.core as mx
    except ImportError:
        return Rank(rank, size, device_files(), None)
    mx.distributed.init(backend="mpi", strict=True)

    def add(count: int, value: float) -> float:
        return float(mx.distributed.all_sum(mx.full((count,), float(value)))[0].item())

    return Rank(rank, size, device_files(), add)


def jax_rank() -> Rank:
    """The process of a JAX node."""
    import jax
    import numpy

    processes, process = int(os.environ["JAX_NUM_PROCESSES"]), int(os.environ["JAX_PROCESS_ID"])
    jax.distributed.initialize(os.environ["JAX_COORDINATOR_ADDRESS"], processes, process)
    devices = jax.local_devices()
    sum_up = jax.pmap(lambda numbers: jax.lax.psum(numbers, "devices"), axis_name="devices")

    def add(count: int, value: float) -> float:
        numbers = numpy.zeros((len(devices), count), numpy.float32)
        numbers[0] = value  # by one device, because a share for each may not be a float32
        return float(sum_up(numbers)[0, 0])

    gpus = sum(device.platform != "cpu" for device in devices)
    return Rank(jax.process_index(), jax.process_count(), gpus, add)


def xgboost_rank() -> Rank:
    """A worker of XGBoost: each node starts one for each of its GPUs, or one, and the first node the tracker."""
    node, workers = int(os.environ["DMLC_TASK_ID"]), int(os.environ["DMLC_NUM_WORKER"])
    port = int(os.environ["DMLC_TRACKER_PORT"])
    per_node = workers // int(sys.argv[2])
    children = []
    for worker in range(node * per_node, (node + 1) * per_node):
        child = os.fork()
        if not child:
            return xgboost_worker(worker, port)
        children.append(child)
    if node == 0:
        from xgboost.tracker import RabitTracker

        tracker = RabitTracker(n_workers=workers, host_ip="0.0.0.0", port=port)  # noqa: S104 - the other pods reach it
        tracker.start()
        tracker.wait_for()
    failed = [os.waitpid(child, 0)[1] for child in children]
    sys.exit(any(failed))


def xgboost_worker(worker: int, port: int) -> Rank:
    """One worker, after a round of boosting."""
    import numpy
    import xgboost
    from xgboost import collective

    # The pod of the tracker may start minutes after this one.
    tracker = {"dmlc_tracker_uri": os.environ["DMLC_TRACKER_URI"], "dmlc_tracker_port": port, "dmlc_retry": 100}
    collective.init(dmlc_communicator="rabit", dmlc_task_id=str(worker), **tracker)
    atexit.register(collective.finalize)
    data = numpy.random.default_rng(worker).random((64, 4))
    xgboost.train({"max_depth": 2}, xgboost.DMatrix(data, data.sum(axis=1)), 1)

    def add(count: int, value: float) -> float:
        return float(collective.allreduce(numpy.full(count, value, numpy.float32), collective.Op.SUM)[0])

    return Rank(collective.get_rank(), collective.get_world_size(), device_files(), add)


def device_files() -> int:
    """Number of GPUs whose device files are in the container."""
    # A GPU of NVIDIA may have both files.
    return len(glob.glob("/dev/nvidia[0-9]*") or glob.glob("/dev/dri/renderD*"))


def report(rank: Rank, measured: int) -> None:
    """Print the report of a rank, for `rank_reports.py`."""
    total = speed = None
    if rank.add:
        total = rank.add(1, rank.rank + 1)
    if rank.add and measured:
        rank.add(measured, 1)
        start = time.monotonic()
        rank.add(measured, 1)
        speed = round(4 * measured / (time.monotonic() - start) / 1e6)
    found = {"rank": rank.rank, "size": rank.size, "host": socket.gethostname(), "gpus": rank.gpus, "total": total}
    line = "training-validation-rank " + json.dumps(dict(found, megabytes_per_second=speed))
    os.write(1, line.encode() + b"\n")  # at once, so that no line of another rank is in it
    if rank.add:
        rank.add(1, 0)  # no rank leaves while another one needs it


FRAMEWORKS = {"torch": torch_rank, "mpi": mpi_rank, "jax": jax_rank, "xgboost": xgboost_rank}

if __name__ == "__main__":
    report(FRAMEWORKS[sys.argv[1]](), int(sys.argv[3]))
