"""How the GPUs of several nodes reach each other. Each provider's spec takes the kinds that it has."""

from typing import Literal

from pydantic import Field

from ..k8s.names import DnsSubdomain
from ..validation.model import FrozenList, StrictModel
from .input_text import InputText
from .resource_name import ResourceName


class Ethernet(StrictModel):
    """The cloud's ordinary network; on GKE with gVNIC."""

    kind: Literal["ethernet"] = "ethernet"


class Efa(StrictModel):
    """AWS's Elastic Fabric Adapter: one interface for each of the machine's network cards that have it."""

    kind: Literal["efa"]


class InfiniBand(StrictModel):
    """Azure's InfiniBand, of the machines that have it. Its driver and its device plugin are not installed here:
    NVIDIA's network operator brings both."""

    kind: Literal["infiniband"]

    resource: ResourceName = "rdma/shared_ib"
    """Resource by which the RDMA device plugin of the cluster offers it. Default: `rdma/shared_ib`."""

    devices: int = Field(1, ge=1)
    """How many of that resource a pod with all GPUs of a node takes. Default 1: the cards are shared as one."""


class AdditionalNetwork(StrictModel):
    """A network that nodes are in beside the cluster's own."""

    network: InputText
    """Name of the VPC."""

    subnetwork: InputText
    """Name of its subnetwork."""

    name: DnsSubdomain
    """Name of the cluster's `Network` object (networking.gke.io/v1) that stands for it, by which pods ask for it."""


class GpuDirect(StrictModel):
    """GKE's GPUDirect: GPUs send without their host's memory. Which kind follows from the machine: TCPX (a3-high),
    TCPXO (a3-mega) or RDMA (a3-ultra, a4). Google's installer for it, a DaemonSet, must be in the cluster."""

    kind: Literal["gpudirect"]

    networks: FrozenList[AdditionalNetwork]
    """Networks beside the cluster's, one for each further card of the machine, in the order of the cards."""
