"""Real pods on this machine: real kubelets with containerd beside the local cluster's control plane.

`python -m tools.real_pods COMMAND...` makes what is missing (packages, programs, images) and runs the command in a box
of its own, in which `nodes.start()` brings real nodes to the local cluster. What is kept lies in `.local/pods`.
"""

from tools import LOCAL

HOME = LOCAL / "pods"
IMAGES = HOME / "images"
"""The images, as archives that containerd imports; they are made once."""
STATE = HOME / "state"
"""What containerd unpacks, and the logs: of one run, gone with it."""
