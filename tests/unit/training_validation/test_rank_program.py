"""The program of the ranks, where it needs no framework. Those in real pods have some."""

import os
import socket
import subprocess
import sys

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
