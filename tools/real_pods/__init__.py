"""Real pods on this machine: real kubelets with containerd, on the local cluster's control plane.

`python -m tools.real_pods COMMAND...` creates what is missing (packages, programs, images) and runs the command in a
sandbox, in which `nodes.start()` adds real nodes to the local cluster. Files are kept in `.local/pods`.
"""

from tools import LOCAL

HOME = LOCAL / "pods"
IMAGES = HOME / "images"
"""The images, as archives for containerd. They are built once."""
STATE = HOME / "state"
"""Containerd's data, and the logs of one run. Deleted after the run."""
