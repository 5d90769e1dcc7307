"""The nodes of the box: each has its own container runtime and kubelet."""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

from tools.real_pods import STATE, network


@dataclass(frozen=True)
class Node:
    """A node.

    Attributes:
        name: Its name in the cluster.
        address: Its own address.
        pods: Addresses of its pods.
        gpus: How many GPUs it says it has. Only the scheduler counts them, as with simulated nodes.
    """

    name: str
    address: IPv4Address
    pods: IPv4Network
    gpus: int = 0

    @property
    def home(self) -> Path:
        """Where its images, containers and logs are."""
        return STATE / self.name

    @property
    def socket(self) -> Path:
        """Where its container runtime listens; the path must be short."""
        return Path("/run") / self.name / "containerd.sock"


_HALVES = tuple(network.PODS.subnets(prefixlen_diff=1))

SYSTEM = Node("system-0", network.CONTROL_PLANE + 1, _HALVES[0])
"""Where the operators run, as on a real cluster: the nodes of a GPU pool are tainted."""

GPU = Node("gpu-0", network.CONTROL_PLANE + 2, _HALVES[1], gpus=64)
"""Where trainings run."""

ALL = (SYSTEM, GPU)
