"""The nodes of the sandbox, each with its own container runtime and kubelet."""

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
        gpus: Number of GPUs that it reports. Only the scheduler counts them, as on simulated nodes.
    """

    name: str
    address: IPv4Address
    pods: IPv4Network
    gpus: int = 0

    @property
    def home(self) -> Path:
        """Folder of its images, containers and logs."""
        return STATE / self.name

    @property
    def socket(self) -> Path:
        """Socket of its container runtime. The path must be short."""
        return Path("/run") / self.name / "containerd.sock"


_HALVES = tuple(network.PODS.subnets(prefixlen_diff=1))

SYSTEM = Node("system-0", network.CONTROL_PLANE + 1, _HALVES[0])
"""The node of the operators, because the nodes of a GPU pool are tainted."""

GPU = Node("gpu-0", network.CONTROL_PLANE + 2, _HALVES[1], gpus=64)
"""The node of trainings."""

ALL = (SYSTEM, GPU)
