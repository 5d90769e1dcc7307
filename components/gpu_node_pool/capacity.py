"""Kinds of capacity: how a cloud provides machines. Each provider's spec accepts those that it has."""

from typing import Literal

from pydantic import Field

from ..validation.model import StrictModel
from .input_text import InputText


class OnDemand(StrictModel):
    """Machines at the list price, if available."""

    kind: Literal["on-demand"] = "on-demand"


class Spot(StrictModel):
    """Cheaper machines that can be reclaimed at short notice."""

    kind: Literal["spot"]


class FlexStart(StrictModel):
    """GKE's flex start: waits until machines are available and keeps them for a limited time. For pools with no initial
    nodes."""

    kind: Literal["flex-start"]

    max_run_hours: int = Field(default=168, ge=1, le=168)
    """Hours after which a machine is deleted. Default and maximum: 168, seven days."""


class QueuedProvisioning(StrictModel):
    """GKE's queued provisioning: a job gets all of its machines, or waits. Machines are created only for a
    ProvisioningRequest, such as Kueue creates for the jobs of a queue."""

    kind: Literal["queued"]

    max_run_hours: int = Field(default=168, ge=1, le=168)
    """Hours after which a machine is deleted. Default and maximum: 168, seven days."""


class Reservation(StrictModel):
    """Machines that were reserved before and are paid for in any case."""

    kind: Literal["reservation"]

    reservation: InputText
    """GKE: its name, or `projects/<project>/reservations/<name>` of another project. EKS, Karpenter: the id of the
    capacity reservation, `cr-...`. AKS: the resource id of the capacity reservation group."""


class CapacityBlock(StrictModel):
    """AWS' capacity block: machines that are reserved for some days from a certain day on."""

    kind: Literal["capacity-block"]

    reservation: InputText
    """Id of the block's capacity reservation, `cr-...`."""
