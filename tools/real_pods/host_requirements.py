"""Checks whether this machine can run real pods, and installs the packages that they need."""

import os
import platform
import shutil
import subprocess
from pathlib import Path

from tools.real_pods import control_groups

PACKAGES = {
    "containerd": "containerd",
    "runc": "runc",
    "containernetworking-plugins": "/usr/lib/cni/bridge",
    "mmdebstrap": "mmdebstrap",
    "iproute2": "ip",
    "nftables": "nft",
    "util-linux": "unshare",
}
"""Debian packages, each with a program that shows that it is installed."""

CAPABILITIES = {"CAP_SYS_CHROOT": 18, "CAP_SYS_ADMIN": 21, "CAP_MKNOD": 27, "CAP_NET_ADMIN": 12}
"""Capabilities to create namespaces, mounts, bridges and root file systems; numbers of linux/capability.h."""


class UnsupportedHostError(Exception):
    """Real pods cannot run on this machine. The message says why, in one line."""


def require() -> None:
    """Check the machine and install missing packages.

    Raises:
        UnsupportedHostError: Real pods cannot run here.
    """
    for reason in (unsupported_reason(), _uninstallable()):
        if reason:
            raise UnsupportedHostError(reason)
    missing = missing_packages()
    if missing:
        _install(missing)


def missing_packages() -> list[str]:
    """Debian packages that are not installed."""
    return [package for package, program in PACKAGES.items() if shutil.which(program) is None]


def unsupported_reason() -> str | None:
    """Why real pods cannot run here, whatever is installed, or None."""
    if platform.system() != "Linux":
        return f"they need Linux, and this is {platform.system()}"
    if os.geteuid() != 0:
        return "they need root, for namespaces, mounts and a network bridge"
    lacking = [name for name, bit in CAPABILITIES.items() if not capabilities() >> bit & 1]
    if lacking:
        return f"root lacks {', '.join(lacking)}, as in an unprivileged container"
    if not control_groups.are_writable():
        return f"{control_groups.ROOT} is not writable"
    return None


def capabilities() -> int:
    """The effective capabilities of this process, one bit each."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("CapEff:")).split()[1], 16)


def _uninstallable() -> str | None:
    missing = missing_packages()
    if missing and shutil.which("apt-get") is None:
        return f"they need {', '.join(missing)}, and apt-get is not available to install them"
    return None


def _install(packages: list[str]) -> None:
    """Install packages from the machine's own package sources."""
    print(f"Installing Debian packages: {', '.join(packages)} ...", flush=True)
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "--yes", "--no-install-recommends", *packages]):
        done = subprocess.run(
            ["apt-get", *command],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            last = " ".join((done.stderr or done.stdout).split())[-200:]
            raise UnsupportedHostError(f"`apt-get {' '.join(command)}` failed: {last}")
