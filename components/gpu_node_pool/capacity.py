"""How a cloud gives out machines: the kinds of capacity. Each provider's spec takes those that it has."""

from typing import Literal

from pydantic import Field

from ..validation.model import StrictModel
from .input_text import InputText


class OnDemand(StrictModel):
    """At the list price, when there are any."""

    kind: Literal["on-demand"] = "on-demand"


class Spot(StrictModel):
    """Cheap, and taken away at short notice."""

    kind: Literal["spot"]


class FlexStart(StrictModel):
    """GKE's flex start: waits for machines, keeps them for a while. For pools that start from nothing."""

    kind: Literal["flex-start"]

    max_run_hours: int = Field(168, ge=1, le=168)
    """Hours after which a machine is taken away. Default and most: 168, seven days."""


class QueuedProvisioning(StrictModel):
    """GKE's queued provisioning: a job gets all of its machines, or waits. They come for a ProvisioningRequest alone,
    such as Kueue writes for the jobs of a queue."""

    kind: Literal["queued"]

    max_run_hours: int = Field(168, ge=1, le=168)
    """Hours after which a machine is taken away. Default and most: 168, seven days."""


class Reservation(StrictModel):
    """Machines that were reserved before, and are paid for in any case."""

    kind: Literal["reservation"]

    reservation: InputText
    """GKE: its name, or `projects/<project>/reservations/<name>` of another project. EKS, Karpenter: the id of the
    capacity reservation, `cr-...`. AKS: the resource id of the capacity reservation group."""


class CapacityBlock(StrictModel):
    """AWS's capacity block: reserved for some days, from a day on."""

    kind: Literal["capacity-block"]

    reservation: InputText
    """Id of the capacity reservation that the block is, `cr-...`."""
