"""`python -m tools.local_cluster`: runs the operators of the local cluster until it is stopped."""

import sys
from pathlib import Path

from tools.local_cluster import cluster, operator_runner
from tools.processes import ProcessId

if __name__ == "__main__":
    socket, *owner = sys.argv[1:]
    operator_runner.serve(Path(socket), ProcessId(*map(int, owner)) if owner else None, cluster.delete)
