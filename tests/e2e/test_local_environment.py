"""The local environment itself: nothing collides, nothing is left behind."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from kubernetes import client, config

from .conftest import Platform


def processes_of(platform: Platform) -> list[str]:
    """The processes that run in the checkout's folder or name it, other than this one's own commands."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            if str(platform.project) in f"{command} {(process / 'cwd').readlink()}":
                found.append(f"{process.name} {command}")
    return found


def eventually(condition: Callable[[], bool], seconds: float = 30) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def test_two_checkouts_have_a_cluster_each(platform: Platform, checkout: Platform) -> None:
    checkout.succeed("start")
    servers = set()
    for one in (platform, checkout):
        core = client.CoreV1Api(config.new_client_from_config(str(one.kubeconfig)))
        servers.add(core.api_client.configuration.host)
        assert core.read_node("system-0").status.conditions is not None
    assert len(servers) == 2
    assert platform.names("v1", "Namespace") != checkout.names("v1", "Namespace")


def test_starting_again_changes_nothing(checkout: Platform) -> None:
    checkout.succeed("start")
    before = sorted(processes_of(checkout))
    assert checkout.succeed("start") == ""
    assert sorted(processes_of(checkout)) == before


def test_down_leaves_nothing(checkout: Platform) -> None:
    checkout.succeed("start")
    assert processes_of(checkout)
    assert checkout.succeed("down").endswith("The local cluster is gone.\n")
    assert eventually(lambda: processes_of(checkout) == [])
    left = {file.name for file in (checkout.project / ".local").iterdir()}
    assert left <= {"bin", "build", "build.lock", "cluster.lock", "pulumi"}


@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("once", ["charts", "kwok", "kubeconfig"])
def test_interrupt_while_it_comes_up_leaves_nothing_half_made(checkout: Platform, once: str, ended_by: int) -> None:
    process = checkout.start("start")
    assert eventually((checkout.project / ".local" / once).exists)
    process.send_signal(ended_by)
    output, _ = process.communicate(timeout=60)
    assert "Traceback" not in output
    assert process.returncode == 130
    assert eventually(lambda: processes_of(checkout) == [])
    assert not checkout.kubeconfig.exists()


def test_the_cluster_ends_with_its_owner(checkout: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen(["/bin/sleep", "600"]) as owner:
        real = os.getpid
        monkeypatch.setattr(os, "getpid", lambda: owner.pid)
        checkout.succeed("start")
        monkeypatch.setattr(os, "getpid", real)
        assert processes_of(checkout)
        owner.kill()
    assert eventually(lambda: processes_of(checkout) == [])
    assert not checkout.kubeconfig.exists()


def test_down_clears_away_what_a_crash_left(checkout: Platform) -> None:
    checkout.succeed("up")
    assert [p for p in processes_of(checkout) if "trainer-controller-manager" in p] != []
    os.kill(int((checkout.project / ".local" / "operators" / "pid").read_text()), signal.SIGKILL)
    checkout.succeed("down")
    assert eventually(lambda: processes_of(checkout) == [])
