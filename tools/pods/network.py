"""The network of the pods: one bridge in the box, with an address for each pod."""

import json
import subprocess
from ipaddress import IPv4Network
from pathlib import Path

PODS = IPv4Network("10.250.0.0/16")
"""Addresses of pods. They are seen in the box only, so they can be any."""

NODE = PODS[1]
"""The bridge's own address, and so the node's: kubelet and DNS are there."""

NODE_NAME = "real-0"
NAMES = {
    Path("/etc/hosts"): f"127.0.0.1 localhost\n{NODE} {NODE_NAME}\n",
    Path("/etc/resolv.conf"): f"nameserver {NODE}\n",
}
"""How the box itself finds addresses: the API server asks the kubelet for logs by the node's name, and nothing else is
to be found from here."""

BRIDGE = "pods0"
CONFIGURATION = Path("/run/cni")
"""Where containerd finds the network; in the box, as `/run` is."""

PLUGINS = Path("/usr/lib/cni")
"""Where Debian's containernetworking-plugins has its programs."""


def start() -> None:
    """Make the bridge, which others need before the first pod, and the configuration by which pods get onto it."""
    for command in (
        ("link", "add", BRIDGE, "type", "bridge"),
        ("address", "add", f"{NODE}/{PODS.prefixlen}", "dev", BRIDGE),
        ("link", "set", BRIDGE, "up"),
        # It leads nowhere. The API server learns its own address from it.
        ("route", "add", "default", "dev", BRIDGE),
    ):
        subprocess.run(["ip", *command], check=True)
    bridge = {
        "type": "bridge",
        "bridge": BRIDGE,
        "isGateway": True,
        "ipam": {"type": "host-local", "ranges": [[{"subnet": str(PODS), "gateway": str(NODE)}]]},
    }
    CONFIGURATION.mkdir()
    network = {"cniVersion": "1.0.0", "name": "pods", "plugins": [bridge]}
    (CONFIGURATION / "pods.conflist").write_text(json.dumps(network))
