"""How the GPUs of several nodes reach each other. Each provider's spec takes the kinds that it has."""

from typing import Literal

from pydantic import Field

from ..model import Items, Model
from .text import Text


class Ethernet(Model):
    """The cloud's ordinary network; on GKE with gVNIC."""

    kind: Literal["ethernet"] = "ethernet"


class Efa(Model):
    """AWS's Elastic Fabric Adapter: one interface for each of the machine's network cards that have it."""

    kind: Literal["efa"]


class InfiniBand(Model):
    """Azure's InfiniBand, of the machines that have it. Its driver and its device plugin are not installed here."""

    kind: Literal["infiniband"]

    resource: str = Field("rdma/ib", pattern=r"^[a-z0-9.-]+/[A-Za-z0-9._-]+$")
    """Resource by which the RDMA device plugin of the cluster offers it. Default: `rdma/ib`."""


class AdditionalNetwork(Model):
    """A network that nodes are in beside the cluster's own."""

    network: Text
    """Name of the VPC."""

    subnetwork: Text
    """Name of its subnetwork."""


class GpuDirect(Model):
    """GKE's GPUDirect: GPUs send without their host's memory. Which kind follows from the machine."""

    kind: Literal["gpudirect"]

    networks: Items[AdditionalNetwork] = ()
    """Networks beside the cluster's, one for each further card of the machine, in the order of the cards. Default:
    none, and GKE makes them (accelerator network profile `auto`)."""
