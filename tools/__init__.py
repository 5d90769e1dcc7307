"""What a developer's machine needs: the Pulumi engine, a local Kubernetes control plane and the real operators.

All of it comes from package registries. `python -m tools --help` lists the commands; the Makefile names the ones that
people type. Everything lands in `.local`:

- `.local/bin`: what `toolchain` builds. `.local/build`: the builds' logs.
- `.local/charts`, `.local/kwok`, `.local/kubeconfig`, `.local/operators`: the cluster of `cluster`, `charts` and
  `process_kubelet`.
- `.local/state`: the local stack's Pulumi state.
"""

from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
LOCAL = PROJECT / ".local"
BIN = LOCAL / "bin"
KUBECONFIG = LOCAL / "kubeconfig"
"""The local cluster's kubeconfig; it exists exactly as long as the cluster does."""
STATE = LOCAL / "state"
"""The local stack's Pulumi state: what it says of a cluster ends with the cluster."""
