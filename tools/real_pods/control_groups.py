"""Cgroups of the sandbox: one hierarchy with version 2, one for each controller with version 1."""

import os
from pathlib import Path, PurePath

ROOT = Path("/sys/fs/cgroup")

CONTROLLERS = ("cpu", "cpuset", "hugetlb", "memory", "pids")
"""Controllers that a kubelet needs in its pods' cgroup with version 2, if the kernel has them
(pkg/kubelet/cm/cgroup_v2_manager_linux.go of Kubernetes 1.37.2)."""


def hierarchies() -> list[Path]:
    """Folders in which cgroups are created."""
    if (ROOT / "cgroup.procs").exists():
        return [ROOT]
    return [folder for folder in ROOT.glob("*") if (folder / "tasks").exists()]


def are_writable() -> bool:
    """Whether cgroups can be created."""
    return bool(hierarchies()) and all(os.access(folder, os.W_OK) for folder in hierarchies())


def make(name: str) -> None:
    """Create a cgroup and its parents in each hierarchy, unless they exist.

    With version 2, a cgroup has only the controllers that its parent passes on, and a new one passes none on.
    """
    for hierarchy in hierarchies():
        group = hierarchy
        for part in PurePath(name).parts:
            _pass_on_controllers(group)
            group /= part
            group.mkdir(exist_ok=True)  # some names of version 1 lead to one hierarchy


def _pass_on_controllers(group: Path) -> None:
    """Pass this cgroup's controllers on to its children. Version 1 does not need this."""
    passed_on = group / "cgroup.subtree_control"
    if not passed_on.exists():
        return
    missing = {*(group / "cgroup.controllers").read_text().split()} - {*passed_on.read_text().split()}
    for controller in CONTROLLERS:
        if controller in missing:
            passed_on.write_text(f"+{controller}")


def named(name: str) -> list[Path]:
    """The cgroups of this name in all hierarchies, including those of earlier runs."""
    return [*ROOT.glob(f"*/{name}"), *ROOT.glob(name)]
