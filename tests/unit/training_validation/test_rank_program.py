"""The program of the ranks, where it needs no framework. Those in real pods have some."""

import os
import socket
import subprocess
import sys
from array import array
from types import SimpleNamespace
from typing import Any

import pytest

from components.training_validation import rank_program as program
from components.training_validation.observations import RankObservation
from components.training_validation.plan import rank_program
from components.training_validation.rank_reports import ranks_of


def test_rank_without_a_library_reports_who_it_is() -> None:
    environment = {"PATH": os.environ["PATH"], "OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "4"}
    # Isolated: no package of this environment is found.
    command = [sys.executable, "-I", "-S", "-c", rank_program(), "mpi", "4", "1000"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    (rank,) = ranks_of(done.stdout.splitlines())
    assert rank == RankObservation(1, 4, socket.gethostname(), rank.gpus)


class Grid:
    """Rows of float32, as far as the program uses them of NumPy."""

    def __init__(self, shape: tuple[int, int], value: float = 0.0) -> None:
        self.rows = [array("f", [value] * shape[1]) for _ in range(shape[0])]

    def __setitem__(self, row: int, value: float) -> None:
        self.rows[row] = array("f", [value] * len(self.rows[row]))

    def __getitem__(self, at: tuple[int, int]) -> float:
        return self.rows[at[0]][at[1]]


def summed(processes: int) -> Any:
    """The sum over all devices of so many processes, whose numbers are multiples of the first one's."""

    def sum_up(numbers: Grid) -> Grid:
        total = array("f", [0.0])
        for rank in range(1, processes + 1):
            for row in numbers.rows:
                total[0] += array("f", [rank * row[0]])[0]
        return Grid((len(numbers.rows), 1), total[0])

    return sum_up


@pytest.mark.parametrize("devices", [1, 3, 5, 6, 7, 8])
def test_sum_of_jax_is_exact_for_any_number_of_devices(devices: int, monkeypatch: pytest.MonkeyPatch) -> None:
    jax = SimpleNamespace(
        distributed=SimpleNamespace(initialize=lambda *_: None),
        local_devices=lambda: [SimpleNamespace(platform="gpu")] * devices,
        pmap=lambda *_, **__: summed(6),
        process_index=lambda: 0,
        process_count=lambda: 6,
    )
    numpy = SimpleNamespace(
        float32="float32",
        zeros=lambda shape, _: Grid(shape),
        full=lambda shape, value, _: Grid(shape, value),
    )
    monkeypatch.setitem(sys.modules, "jax", jax)
    monkeypatch.setitem(sys.modules, "numpy", numpy)
    for name, value in {"NUM_PROCESSES": "6", "PROCESS_ID": "0", "COORDINATOR_ADDRESS": "a:1"}.items():
        monkeypatch.setenv(f"JAX_{name}", value)
    rank = program.jax_rank()
    assert rank.add is not None
    assert rank.add(1, 1) == 21.0


@pytest.mark.parametrize(
    ("files", "count"),
    [
        ({"/dev/nvidia[0-9]*": ["/dev/nvidia0", "/dev/nvidia1"], "/dev/dri/renderD*": ["/dev/dri/renderD128"]}, 2),
        ({"/dev/dri/renderD*": ["/dev/dri/renderD128"]}, 1),
        ({}, 0),
    ],
)
def test_gpus_are_counted_once(files: dict[str, list[str]], count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("glob.glob", lambda pattern: files.get(pattern, []))
    assert program.device_files() == count
