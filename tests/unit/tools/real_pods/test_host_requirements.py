"""A machine that cannot run real pods: why, in one line, and that this is no failure."""

import os
import platform
import shutil

import pytest

from tools.real_pods import __main__ as command
from tools.real_pods import control_groups, host_requirements, sandbox


@pytest.fixture
def fit(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A machine that can, whatever this one is."""
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(host_requirements, "capabilities", lambda: -1)
    monkeypatch.setattr(control_groups, "are_writable", lambda: True)
    monkeypatch.setattr(host_requirements, "missing_packages", list)
    return monkeypatch


@pytest.mark.usefixtures("fit")
def test_complete_machine_installs_nothing() -> None:
    host_requirements.require()


def without_linux(machine_of: pytest.MonkeyPatch) -> None:
    machine_of.setattr(platform, "system", lambda: "Darwin")


def without_root(machine_of: pytest.MonkeyPatch) -> None:
    machine_of.setattr(os, "geteuid", lambda: 1000)


def without_privileges(machine_of: pytest.MonkeyPatch) -> None:
    machine_of.setattr(
        host_requirements, "capabilities", lambda: ~(1 << host_requirements.CAPABILITIES["CAP_SYS_ADMIN"])
    )


def without_cgroups(machine_of: pytest.MonkeyPatch) -> None:
    machine_of.setattr(control_groups, "are_writable", lambda: False)


def without_apt(machine_of: pytest.MonkeyPatch) -> None:
    machine_of.setattr(host_requirements, "missing_packages", lambda: ["containerd", "runc"])
    machine_of.setattr(shutil, "which", lambda _: None)


@pytest.mark.parametrize(
    ("lack", "reason"),
    [
        (without_linux, "they need Linux, and this is Darwin"),
        (without_root, "they need root, for namespaces, mounts and a network bridge"),
        (without_privileges, "root lacks CAP_SYS_ADMIN, as in an unprivileged container"),
        (without_cgroups, "/sys/fs/cgroup is not writable"),
        (without_apt, "they need containerd, runc, and apt-get is not available to install them"),
    ],
)
def test_missing_requirement_is_printed_in_one_line(
    fit: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], lack: object, reason: str
) -> None:
    assert callable(lack)
    lack(fit)
    fit.setattr(sandbox, "run", lambda _: pytest.fail("nothing must run"))
    assert command.main(["true"]) == 0
    assert capsys.readouterr().out == f"Real pods cannot run on this machine: {reason}.\n"
