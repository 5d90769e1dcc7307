"""containerd: imports our images instead of pulling, and runs containers with runc."""

import subprocess
from collections.abc import Iterable
from pathlib import Path

from tools.real_pods import background_process, network
from tools.real_pods.node import Node

# Without CAP_SYS_RESOURCE runc may not lower its containers' OOM score, and would fail.
CONFIGURATION = """\
version = 2
root = "{home}/containerd"
state = "{state}"

[grpc]
  address = "{socket}"

[plugins."io.containerd.internal.v1.opt"]
  path = "{home}/opt"

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{sandbox}"
  restrict_oom_score_adj = true

[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = "{plugins}"
  conf_dir = "{network}"
"""


def start(node: Node, sandbox: str) -> None:
    """Start containerd on a node.

    Args:
        node: The node.
        sandbox: Image of the container that holds a pod's namespaces.
    """
    links = node.home / "network"
    network.configure(links, node.name, node.pods)
    configuration = node.home / "containerd.toml"
    configuration.write_text(
        CONFIGURATION.format(
            home=node.home,
            state=node.socket.parent,
            socket=node.socket,
            sandbox=sandbox,
            plugins=network.PLUGINS,
            network=links,
        )
    )
    background_process.start(
        node.home, "containerd", "containerd", "--config", configuration, serves=lambda: _serves(node)
    )


def _serves(node: Node) -> bool:
    return subprocess.run(_ctr(node, "version"), capture_output=True, check=False).returncode == 0


def import_images(node: Node, archives: Iterable[Path]) -> None:
    """Import images from archives on a node."""
    for archive in archives:
        subprocess.run(_ctr(node, "images", "import", str(archive)), check=True, capture_output=True)


def tag_image(node: Node, image: str, name: str) -> None:
    """Give an image that a node knows one more name: with the registry, and with a tag."""
    subprocess.run(_ctr(node, "images", "tag", image, name), check=True, capture_output=True)


def _ctr(node: Node, *arguments: str) -> list[str]:
    return ["ctr", "--address", str(node.socket), "--namespace", "k8s.io", *arguments]
