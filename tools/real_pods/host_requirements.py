"""Whether this machine can run real pods, and what is installed on it for that."""

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
"""Debian packages, and of each a program by which it is known to be there."""

CAPABILITIES = {"CAP_SYS_CHROOT": 18, "CAP_SYS_ADMIN": 21, "CAP_MKNOD": 27, "CAP_NET_ADMIN": 12}
"""What making namespaces, mounts, bridges and root filesystems takes; numbers of linux/capability.h."""


class UnsupportedHostError(Exception):
    """Real pods cannot run on this machine; the message says why, in one line."""


def require() -> None:
    """See whether real pods can run here, and install the packages that are missing.

    Raises:
        UnsupportedHostError: They cannot.
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
    """Why no packages could make real pods run here, if so."""
    if platform.system() != "Linux":
        return f"they need Linux, and this is {platform.system()}"
    if os.geteuid() != 0:
        return "they need root, for namespaces, mounts and a network bridge"
    lacking = [name for name, bit in CAPABILITIES.items() if not capabilities() >> bit & 1]
    if lacking:
        return f"root lacks {', '.join(lacking)} here, as in a container that is not privileged"
    if not control_groups.are_writable():
        return f"{control_groups.ROOT} cannot be written"
    return None


def capabilities() -> int:
    """What this process may do, a bit for each capability."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("CapEff:")).split()[1], 16)


def _uninstallable() -> str | None:
    missing = missing_packages()
    if missing and shutil.which("apt-get") is None:
        return f"they need {', '.join(missing)}, and there is no apt-get to install them"
    return None


def _install(packages: list[str]) -> None:
    """From the machine's own package sources."""
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
