"""The local environment itself: nothing collides, nothing is left behind."""

import os
import signal
import socket
import ssl
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from kubernetes import client, config

from .conftest import Platform
from .waiting import eventually


def processes_of(platform: Platform) -> list[str]:
    """The processes that run in the checkout's folder or name it, other than this one's own commands."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            if str(platform.project) in f"{command} {(process / 'cwd').readlink()}":
                found.append(f"{process.name} {command}")
    return found


LOOPBACK = ("0100007F", "00000000000000000000000001000000")
"""127.0.0.1 and ::1 as /proc/net/tcp writes them."""


def listening(processes: list[str]) -> dict[str, str]:
    """The sockets that the processes listen on: the address that /proc/net/tcp shows, by process and socket."""
    owners = {}
    for process in processes:
        for descriptor in Path(f"/proc/{process.split()[0]}/fd").glob("*"):
            with suppress(OSError):
                owners[os.readlink(descriptor)] = process
    rows = [
        line.split() for table in ("tcp", "tcp6") for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
    ]
    return {
        f"{owners[f'socket:[{row[9]}]']} {row[1]}": row[1].partition(":")[0]
        for row in rows
        if row[3] == "0A" and f"socket:[{row[9]}]" in owners
    }


def test_two_checkouts_have_a_cluster_each(platform: Platform, checkout: Platform) -> None:
    checkout.succeed("start")
    servers = set()
    for one in (platform, checkout):
        core = client.CoreV1Api(config.new_client_from_config(str(one.kubeconfig)))
        servers.add(core.api_client.configuration.host)
        assert core.read_node("system-0").status.conditions is not None
    assert len(servers) == 2
    assert platform.names("v1", "Namespace") != checkout.names("v1", "Namespace")


def test_everything_listens_on_this_machine_alone(platform: Platform) -> None:
    found = listening(processes_of(platform))
    programs = (
        "etcd",
        "kube-apiserver",
        "kube-controller-manager",
        "kube-scheduler",
        "kwok",
        "jobset",
        "trainer-controller",
    )
    assert [program for program in programs if not any(program in socket for socket in found)] == []
    assert {socket: address for socket, address in found.items() if address not in LOOPBACK} == {}


SECRETS = (b"PRIVATE KEY-----", b"client-key-data", b"encryptionsalt")


def can_be_reached_by_others(file: Path, root: Path) -> bool:
    """Whether any other user may read a file: no folder between the root and the file keeps them out."""
    return all(
        path.stat().st_mode & 0o077 for path in (file, *file.parents) if path.is_relative_to(root) and path != root
    )


def test_keys_are_unreadable_for_other_users(platform: Platform) -> None:
    root = platform.project / ".local"
    files = [
        file
        for file in root.rglob("*")
        if file.is_file() and not file.is_relative_to(root / "bin") and any(s in file.read_bytes() for s in SECRETS)
    ]
    assert {"admin.key", "ca.key"} <= {file.name for file in files}
    assert [file for file in files if can_be_reached_by_others(file, root)] == []


def ask_etcd(platform: Platform, context: ssl.SSLContext | None) -> bytes:
    """What etcd says to a client without a certificate, by TLS or without."""
    told = (platform.project / ".local" / "kwok.yaml").read_text()
    port = int(told.partition("etcdPort: ")[2].split()[0])
    with socket.create_connection(("127.0.0.1", port), timeout=10) as plain:
        connection = context.wrap_socket(plain) if context else plain
        connection.sendall(b"GET /version HTTP/1.1\r\nHost: x\r\n\r\n")
        return connection.recv(1024)


def test_etcd_refuses_a_client_without_a_certificate(platform: Platform) -> None:
    assert b"etcd" not in ask_etcd(platform, None)
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with pytest.raises(OSError, match=r"(?i)certificate.required|reset|bad certificate"):
        ask_etcd(platform, context)


def test_down_during_an_up_is_rejected_and_changes_nothing(checkout: Platform) -> None:
    process = checkout.start("up")
    assert eventually(checkout.kubeconfig.exists)
    refused = checkout.run("down")
    assert refused.returncode == 1
    assert refused.stdout == (
        f"`make up` (process {process.pid}) is changing the local stack, so nothing was done. Wait until it ends, "
        "or interrupt it.\n"
    )
    output, _ = process.communicate()
    assert process.returncode == 0, output


def test_starting_again_changes_nothing(checkout: Platform) -> None:
    checkout.succeed("start")
    before = sorted(processes_of(checkout))
    assert checkout.succeed("start") == ""
    assert sorted(processes_of(checkout)) == before


def test_down_leaves_nothing(checkout: Platform) -> None:
    checkout.succeed("start")
    assert processes_of(checkout)
    assert checkout.succeed("down").endswith("The local cluster was deleted.\n")
    assert eventually(lambda: processes_of(checkout) == [])
    left = {file.name for file in (checkout.project / ".local").iterdir()}
    assert left <= {"bin", "build", "build.lock", "cluster.lock", "command.lock", "pulumi"}


@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("once", ["charts", "kwok", "kubeconfig"])
def test_interrupted_start_is_cleaned_up(checkout: Platform, once: str, ended_by: int) -> None:
    process = checkout.start("start")
    assert eventually((checkout.project / ".local" / once).exists)
    process.send_signal(ended_by)
    output, _ = process.communicate(timeout=60)
    assert "Traceback" not in output
    assert process.returncode == 130
    assert eventually(lambda: processes_of(checkout) == [])
    assert not checkout.kubeconfig.exists()


def test_the_cluster_ends_with_its_owner(checkout: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.getpid
    with subprocess.Popen(["/bin/sleep", "600"]) as owner:
        monkeypatch.setattr(os, "getpid", lambda: owner.pid)
        try:
            checkout.succeed("start")
            assert processes_of(checkout)
        finally:
            monkeypatch.setattr(os, "getpid", real)
            owner.kill()
    assert eventually(lambda: processes_of(checkout) == [])
    assert not checkout.kubeconfig.exists()


def test_down_clears_away_what_a_crash_left(checkout: Platform) -> None:
    checkout.succeed("up")
    assert [p for p in processes_of(checkout) if "trainer-controller-manager" in p] != []
    os.kill(int((checkout.project / ".local" / "operators" / "pid").read_text().split()[0]), signal.SIGKILL)
    checkout.succeed("down")
    assert eventually(lambda: processes_of(checkout) == [])
