"""`python -m tools.local_cluster`: runs the operators of the local cluster until it is stopped."""

import sys
from pathlib import Path

from tools.local_cluster import cluster, operator_runner
from tools.processes import ProcessId

if __name__ == "__main__":
    operator_runner.serve(
        Path(sys.argv[1]), ProcessId.of(int(sys.argv[2])) if len(sys.argv) > 2 else None, cluster.delete
    )
