"""The network in the sandbox: an interface with the nodes' addresses, and a link from it to each pod."""

import json
import subprocess
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

PODS = IPv4Network("10.250.0.0/16")
"""Addresses of pods. They are visible only in the sandbox, so any range will do."""

CONTROL_PLANE = IPv4Address("10.251.0.1")
"""The address of the API server and DNS."""

INTERFACE = "nodes0"
PLUGINS = Path("/usr/lib/cni")
"""Folder of the programs of Debian's containernetworking-plugins."""


def start(nodes: Iterable[tuple[IPv4Address, str]]) -> None:
    """Create the interface, with addresses for control plane and nodes.

    Args:
        nodes: Address and name of each node.
    """
    named = list(nodes)
    for command in (
        (
            "link",
            "add",
            INTERFACE,
            "type",
            "bridge",
        ),  # a bridge without ports, because not every kernel has the type dummy
        *(("address", "add", f"{address}/32", "dev", INTERFACE) for address in (CONTROL_PLANE, *dict(named))),
        ("link", "set", INTERFACE, "up"),
        # The route leads nowhere, but the API server learns its own address from it.
        ("route", "add", "default", "dev", INTERFACE, "src", str(CONTROL_PLANE)),
    ):
        subprocess.run(["ip", *command], check=True)
    # The API server requests logs from kubelets by node name. No other names must resolve.
    hosts = "".join(f"{address} {name}\n" for address, name in named)
    _replace(Path("/etc/hosts"), f"127.0.0.1 localhost\n{hosts}")
    _replace(Path("/etc/resolv.conf"), f"nameserver {CONTROL_PLANE}\n")


def _replace(file: Path, content: str) -> None:
    """Replace the content of a file of the machine, only inside the sandbox."""
    own = Path("/run") / file.name
    own.write_text(content)
    subprocess.run(["mount", "--bind", own, file], check=True)


def configure(folder: Path, name: str, pods: IPv4Network) -> None:
    """Write the configuration with which containerd links pods to the network.

    Args:
        folder: Folder of the configuration.
        name: Name of the node.
        pods: Addresses of the node's pods.
    """
    # Packets between pods pass the network stack of the sandbox, where kube-proxy has its rules for Services. On a
    # bridge the responses would not, unless the kernel's br_netfilter is loaded.
    link = {
        "type": "ptp",
        "ipam": {"type": "host-local", "ranges": [[{"subnet": str(pods)}]], "routes": [{"dst": "0.0.0.0/0"}]},
    }
    folder.mkdir()
    network = {"cniVersion": "1.0.0", "name": name, "plugins": [link]}
    (folder / "pods.conflist").write_text(json.dumps(network))
