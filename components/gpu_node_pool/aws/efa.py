"""EFA: the network interfaces with which a machine of EC2 must be launched."""

from dataclasses import dataclass
from typing import Literal

from ..machines import machines

EFA_RESOURCE = "vpc.amazonaws.com/efa"
"""Resource name of EFA devices, as AWS' device plugin names them."""

InterfaceType = Literal["interface", "efa", "efa-only"]
"""An ordinary interface, an ordinary interface with EFA, or only EFA, which uses no IP address of the subnet."""

NO_EFA_ON_FIRST_CARD = frozenset({"p6-b300.48xlarge"})
"""Machines whose first network card has no EFA: they have one card more than EFA devices. Source: a comment of an AWS
engineer in aws/aws-parallelcluster#7143."""


@dataclass(frozen=True)
class Interface:
    """One network interface."""

    card: int
    """Index of the network card that it is attached to."""

    device: int
    """Its index on that card."""

    type: InterfaceType
    """Its type."""


def efa_interfaces(machine_type: str, devices: int, primary: Literal["interface", "efa"]) -> tuple[Interface, ...]:
    """The interfaces that give a machine all of its EFA devices, one for each card.

    Only the first interface uses an IP address: 32 interfaces with one each would exhaust a node's subnet, and the VPC
    CNI ignores interfaces without one (1.18.5 and newer). `primary` is the type of the first interface, which cannot be
    EFA only: launch templates use `efa`, Karpenter an `interface` with EFA as its card's second device.

    On the other cards the device index is 0, as EC2 requires for interfaces with EFA only. Machine types in the table
    keep index 1, which EC2 accepts too: another index would replace their nodes. The cards of other machine types may
    accept only one interface, as those of p6e-gb200.36xlarge do (aws/aws-parallelcluster#6930).

    Source: EC2 User Guide, "Maximize network bandwidth on Amazon EC2 instances with multiple network cards".
    """
    if machine_type in NO_EFA_ON_FIRST_CARD:
        further = (Interface(card, 0, "efa-only") for card in range(1, devices + 1))
        return (Interface(0, 0, "interface"), *further)
    device = 1 if machine_type in machines("eks") else 0
    first = [Interface(0, 0, primary)] + ([Interface(0, 1, "efa-only")] if primary == "interface" else [])
    return (*first, *(Interface(card, device, "efa-only") for card in range(1, devices)))
