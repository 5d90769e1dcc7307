"""Networks between GPUs of different nodes. Each provider's spec accepts the kinds that it has."""

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
    """AWS' Elastic Fabric Adapter: one interface for each of the machine's network cards that supports it."""

    kind: Literal["efa"]


class InfiniBand(StrictModel):
    """Azure's InfiniBand, for machine types that have it. NVIDIA's network operator must install its driver and device
    plugin."""

    kind: Literal["infiniband"]

    resource: ResourceName = "rdma/shared_ib"
    """Resource name in the cluster's RDMA device plugin. Default: `rdma/shared_ib`."""

    devices: int = Field(default=1, ge=1)
    """Number of these devices for a pod with all GPUs of a node. Default 1: the cards are shared as one device."""


class AdditionalNetwork(StrictModel):
    """A network of the nodes in addition to the cluster's own."""

    network: InputText
    """Name of the VPC."""

    subnetwork: InputText
    """Name of its subnetwork."""

    name: DnsSubdomain
    """Name of the cluster's `Network` object (networking.gke.io/v1) for it, by which pods request it."""


class GpuDirect(StrictModel):
    """GKE's GPUDirect: GPUs send data without copying it through host memory. The machine type determines the kind:
    TCPX (a3-high), TCPXO (a3-mega) or RDMA (a3-ultra, a4). Google's installer for it, a DaemonSet, must run in the
    cluster."""

    kind: Literal["gpudirect"]

    networks: FrozenList[AdditionalNetwork]
    """Networks in addition to the cluster's, one for each further card of the machine, in the order of the cards."""
