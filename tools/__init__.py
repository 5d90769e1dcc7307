"""Development tools: the Pulumi engine, a local Kubernetes control plane and the real operators.

Everything comes from package registries. `python -m tools --help` lists the commands; the Makefile has the usual ones.
All files are in `.local`:

- `.local/bin`: built programs. `.local/build`: the logs of the builds.
- `.local/charts`, `.local/kwok`, `.local/kubeconfig`, `.local/operators`: the local cluster.
- `.local/state`: the local stack's Pulumi state.
"""

from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
LOCAL = PROJECT / ".local"
BIN = LOCAL / "bin"
KUBECONFIG = LOCAL / "kubeconfig"
"""The local cluster's kubeconfig. It exists exactly as long as the cluster does."""
STATE = LOCAL / "state"
"""The local stack's Pulumi state. It is deleted with the cluster."""
