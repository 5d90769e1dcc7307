"""containerd: pulls no image, but imports ours, and runs containers by runc."""

import subprocess
from collections.abc import Iterable
from pathlib import Path

from tools.pods import daemon, network

SOCKET = Path("/run/containerd/containerd.sock")
"""The usual place, which in the box is its own."""

# Without CAP_SYS_RESOURCE runc may not lower its containers' score for the kernel's memory killer, and would fail.
CONFIGURATION = """\
version = 2
root = "{root}"

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{sandbox}"
  restrict_oom_score_adj = true

[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = "{plugins}"
  conf_dir = "{network}"
"""


def start(home: Path, sandbox: str) -> None:
    """Start it.

    Args:
        home: The folder for its configuration, images, containers and log.
        sandbox: The image of the container that holds a pod's namespaces.
    """
    configuration = home / "containerd.toml"
    configuration.write_text(
        CONFIGURATION.format(
            root=home / "containerd", sandbox=sandbox, plugins=network.PLUGINS, network=network.CONFIGURATION
        )
    )
    daemon.start(home, "containerd", "containerd", "--config", configuration, serves=_serves)


def _serves() -> bool:
    return subprocess.run(["ctr", "version"], capture_output=True, check=False).returncode == 0


def import_images(archives: Iterable[Path]) -> None:
    """Make images known, from archives."""
    for archive in archives:
        subprocess.run(["ctr", "--namespace", "k8s.io", "images", "import", archive], check=True, capture_output=True)
