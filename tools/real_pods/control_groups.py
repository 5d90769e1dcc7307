"""The control groups of the box: one hierarchy with version 2, one for each controller with version 1."""

import os
from pathlib import Path, PurePath

ROOT = Path("/sys/fs/cgroup")

CONTROLLERS = ("cpu", "cpuset", "hugetlb", "memory", "pids")
"""What a kubelet wants in the group of its pods with version 2, as far as the kernel has it
(pkg/kubelet/cm/cgroup_v2_manager_linux.go of Kubernetes 1.37.2)."""


def hierarchies() -> list[Path]:
    """Where control groups are made."""
    if (ROOT / "cgroup.procs").exists():
        return [ROOT]
    return [folder for folder in ROOT.glob("*") if (folder / "tasks").exists()]


def are_writable() -> bool:
    """Whether control groups can be made."""
    return bool(hierarchies()) and all(os.access(folder, os.W_OK) for folder in hierarchies())


def make(name: str) -> None:
    """Make a control group and those above it, in each hierarchy, unless they are there.

    With version 2 a group has only the controllers that the one above passes on, and a new one passes none on.
    """
    for hierarchy in hierarchies():
        group = hierarchy
        for part in PurePath(name).parts:
            _pass_on_controllers(group)
            group /= part
            group.mkdir(exist_ok=True)  # some names of version 1 lead to one hierarchy


def _pass_on_controllers(group: Path) -> None:
    """Give the groups below this one the controllers that it has. Version 1 knows no such thing."""
    passed_on = group / "cgroup.subtree_control"
    if not passed_on.exists():
        return
    missing = {*(group / "cgroup.controllers").read_text().split()} - {*passed_on.read_text().split()}
    for controller in CONTROLLERS:
        if controller in missing:
            passed_on.write_text(f"+{controller}")


def named(name: str) -> list[Path]:
    """The control group of that name in each hierarchy, of an earlier run too."""
    return [*ROOT.glob(f"*/{name}"), *ROOT.glob(name)]
