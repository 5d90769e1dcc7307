"""The local Kubernetes cluster: a real control plane, simulated nodes, and operators as processes."""

import os
import shutil
import stat
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import yaml

from tools import BIN, KUBECONFIG, LOCAL, PROJECT, STATE, go_build
from tools.local_cluster import charts, operator_runner, operators
from tools.local_cluster.operator_pod import free_ports
from tools.processes import ProcessId

NAME = "training-platform"
CONTEXT = f"kwok-{NAME}"
"""The kubeconfig context that kwokctl creates for a cluster of this name. `stacks/Pulumi.local.yaml` uses it."""
STAGES = PROJECT / "tools" / "local_cluster" / "stages.yaml"
KWOK_NODE_SELECTOR = "kwok.x-k8s.io/node=fake"
"""The annotation of nodes that kwok simulates. Other nodes may be real (`tools/real_pods`)."""
SYSTEM_NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "system-0", "annotations": {"kwok.x-k8s.io/node": "fake"}},
    "status": {name: {"cpu": "8", "memory": "32Gi", "pods": "110"} for name in ("capacity", "allocatable")},
}
"""The node of the operators' pods: as in a real cluster, a node without GPUs that no node pool creates."""


OPERATORS = "TRAINING_PLATFORM_OPERATORS"
"""Variable that sets what the operators run as: `processes` of this machine (default), or `pods` on real nodes
(`tools/real_pods`)."""

ALL_ADDRESSES = "0.0.0.0"  # noqa: S104 - of the box of real pods, which is a network of its own
API_SERVER_ADDRESS = "10.0.0.1"
"""Address at which pods reach the API server: the first of its default range for Services."""


class LocalClusterError(Exception):
    """The local cluster could not be created, started or stopped. The message says why and what to do."""


OWNER_PID_VARIABLE = "TRAINING_PLATFORM_OWNER"
"""Variable with the pid of a process. When it ends, the cluster is deleted. Set by tests."""


def start() -> None:
    """Create the cluster, or start the existing one. A running cluster is not changed.

    Raises:
        LocalClusterError: It did not start. What had been started was deleted.
    """
    with go_build.locked("cluster"):
        if operator_runner.is_running() or (operators_are_pods() and any(components().values())):
            return
        try:
            if KUBECONFIG.exists():
                forget_ended_processes()
                _kwokctl("start", "cluster", "--wait", "90s")
            else:
                _create()
            if not operators_are_pods():
                operator_runner.start(_socket(), _owner())
        except BaseException:
            # Also on Ctrl-C: half a cluster is useless and would occupy its ports.
            _delete()
            raise


def _owner() -> ProcessId | None:
    """The process with which the cluster ends, if the environment names one."""
    if OWNER_PID_VARIABLE not in os.environ:
        return None
    owner = ProcessId.of(int(os.environ[OWNER_PID_VARIABLE]))
    if owner is None:
        raise LocalClusterError(f"{OWNER_PID_VARIABLE}: no process {os.environ[OWNER_PID_VARIABLE]} runs.")
    return owner


def operators_are_pods() -> bool:
    """Whether the operators run on real nodes. Webhooks are then reached through kube-proxy, and pods reach the API
    server."""
    return os.environ.get(OPERATORS) == "pods"


def _create() -> None:
    from kubernetes.client import ApiException, CoreV1Api
    from urllib3.exceptions import HTTPError

    _delete()
    # kwokctl lets others read keys: their folder is this user's alone.
    (LOCAL / "kwok").mkdir(mode=0o700, parents=True)
    for operator in operators.known():
        if operator in operators.DEFAULT or operator.program.path.exists():
            charts.unpack(operator)
    SOCKET_FOLDER.write_text(str(socket_folder()))
    egress = LOCAL / "egress.yaml"
    egress.write_text(EGRESS.format(socket=_socket()))
    told = LOCAL / "kwok.yaml"
    told.write_text(STAGES.read_text() + "---\n" + yaml.safe_dump(configuration(egress)))
    binaries = {"etcd": "etcd", "kube-apiserver": "kube-apiserver", "kwok-controller": "kwok"} | {
        name: name for name in ("kube-controller-manager", "kube-scheduler")
    }
    _kwokctl(
        *("create", "cluster", "--wait", "90s"),
        *("--kubeconfig", str(KUBECONFIG), "--config", str(told)),
        *(part for name, file in binaries.items() for part in (f"--{name}-binary", str(go_build.located(file)))),
    )
    KUBECONFIG.chmod(0o600)
    if operators_are_pods():
        return
    try:
        CoreV1Api(operator_runner.client_of(KUBECONFIG)).create_node(SYSTEM_NODE)
    except (ApiException, HTTPError) as error:
        raise LocalClusterError(f"The local cluster started, but its API server rejected a node: {error}") from error


def socket_folder() -> Path:
    """A new folder for the proxy's socket that only this user can enter."""
    folder = Path(mkdtemp(prefix="training-platform-"))
    if len(str(folder / SOCKET)) > MAX_SOCKET_PATH:
        folder.rmdir()
        folder = Path(mkdtemp(prefix="training-platform-", dir="/tmp"))
    return folder


MAX_SOCKET_PATH = 107
"""Maximum length in bytes of a socket's path (unix(7))."""

SOCKET = "webhooks"
SOCKET_FOLDER = LOCAL / "socket-folder"
"""File with the path of the socket's folder, which is in the system's temporary folder, because a path in the checkout
may be too long for a socket."""

EGRESS = """\
apiVersion: apiserver.k8s.io/v1beta1
kind: EgressSelectorConfiguration
egressSelections:
  - name: cluster
    connection: {{proxyProtocol: HTTPConnect, transport: {{uds: {{udsName: {socket}}}}}}}
  - name: controlplane
    connection: {{proxyProtocol: Direct}}
  - name: etcd
    connection: {{proxyProtocol: Direct}}
"""
"""Sends the API server's connections into the cluster, which are those to webhooks, through `webhook_proxy`."""


SET_BY_KWOKCTL = {
    *("listen-client-urls", "advertise-client-urls", "listen-peer-urls", "initial-advertise-peer-urls"),
    *("initial-cluster", "etcd-servers", "bind-address"),
}
"""Arguments that kwokctl sets as well and that are replaced. It appends all others."""


def _socket() -> Path:
    """The proxy's socket. Its folder is created again if the temporary folder was emptied."""
    folder = Path(SOCKET_FOLDER.read_text())
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    # Not `stat`, because another user may have put a link there that leads to a folder of this user.
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        message = f"{folder} is not a folder of this user, which the API server needs. Run `make down`, then `make up`."
        raise LocalClusterError(message)
    return folder / SOCKET


def configuration(egress: Path) -> dict[str, Any]:
    """The configuration for kwokctl beside the stages: everything listens on 127.0.0.1, and etcd requires a client
    certificate.

    By default kwokctl listens on all interfaces and starts etcd without TLS. The certificate is the one that it creates
    for the cluster's components.
    """
    ports = dict(zip(PORT_OPTIONS, free_ports(len(PORT_OPTIONS)), strict=True))
    client, peer = ports["etcdPort"], ports["etcdPeerPort"]
    pki = LOCAL / "kwok" / "clusters" / NAME / "pki"
    client_url, peer_url = (f"https://127.0.0.1:{port}" for port in (client, peer))
    files = {"cert-file": "admin.crt", "key-file": "admin.key", "trusted-ca-file": "ca.crt"}
    etcd = {
        "listen-client-urls": client_url,
        "advertise-client-urls": client_url,
        "listen-peer-urls": peer_url,
        "initial-advertise-peer-urls": peer_url,
        "initial-cluster": f"node0={peer_url}",
        "client-cert-auth": "true",
        "peer-client-cert-auth": "true",
        **{f"{prefix}{option}": str(pki / file) for prefix in ("", "peer-") for option, file in files.items()},
    }
    api_server = {
        **({"bind-address": ALL_ADDRESSES} if operators_are_pods() else {"egress-selector-config-file": str(egress)}),
        "etcd-servers": client_url,
        "etcd-cafile": str(pki / "ca.crt"),
        "etcd-certfile": str(pki / "admin.crt"),
        "etcd-keyfile": str(pki / "admin.key"),
    }
    kwok = {"manage-all-nodes": "false", "manage-nodes-with-annotation-selector": KWOK_NODE_SELECTOR}
    extra = {"etcd": etcd, "kube-apiserver": api_server, "kwok-controller": kwok}
    return {
        "kind": "KwokctlConfiguration",
        "apiVersion": "config.kwok.x-k8s.io/v1alpha1",
        "options": {
            "runtime": "binary",
            "bindAddress": "127.0.0.1",
            **ports,
            "kubeApiserverCertSANs": [API_SERVER_ADDRESS],
        },
        "componentsPatches": [{"name": name, "extraArgs": _extra(arguments)} for name, arguments in extra.items()],
    }


PORT_OPTIONS = (
    "etcdPort",
    "etcdPeerPort",
    "kubeApiserverPort",
    "kubeControllerManagerPort",
    "kubeSchedulerPort",
    "kwokControllerPort",
)
"""The ports of a cluster (kwok v0.8.0, pkg/apis/config/v1alpha1). Ports that kwokctl selects are the same for two
clusters that start at the same time."""


def _extra(arguments: Mapping[str, str]) -> list[dict[str, Any]]:
    return [{"key": key, "value": value, "override": key in SET_BY_KWOKCTL} for key, value in arguments.items()]


def delete() -> None:
    """Stop the cluster and delete everything of it, including the local stack's state."""
    with go_build.locked("cluster"):
        _delete()


def _delete() -> None:
    operator_runner.stop()
    if (LOCAL / "kwok").exists():
        forget_ended_processes()
        _kwokctl("delete", "cluster", "--kubeconfig", str(KUBECONFIG))
    if SOCKET_FOLDER.exists():
        shutil.rmtree(SOCKET_FOLDER.read_text(), ignore_errors=True)
    for folder in (LOCAL / "kwok", operators.CHARTS, operator_runner.HOME, STATE):
        shutil.rmtree(folder, ignore_errors=True)
    for file in (SOCKET_FOLDER, LOCAL / "egress.yaml", LOCAL / "kwok.yaml", KUBECONFIG):
        file.unlink(missing_ok=True)


def forget_ended_processes() -> None:
    """Delete kwokctl's pid file of each process that has ended. kwokctl would kill whatever process has that pid
    now."""
    for note in _notes():
        if _noted(note) is None:
            note.unlink()


def _notes() -> list[Path]:
    return sorted((LOCAL / "kwok" / "clusters" / NAME / "pids").glob("*.pid"))


def _noted(note: Path) -> int | None:
    """The process in a pid file, if it belongs to this cluster: its working directory is in the cluster's folder."""
    try:
        pid = int(note.read_text())
        folder = os.readlink(f"/proc/{pid}/cwd")
    except (OSError, ValueError):
        return None
    return pid if Path(folder).is_relative_to(LOCAL / "kwok") else None


def _kwokctl(*arguments: str) -> None:
    environment = os.environ | {"KWOK_WORKDIR": str(LOCAL / "kwok"), "HOME": str(LOCAL / "kwok")}
    command = [str(BIN / "kwokctl"), *arguments, "--name", NAME]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    if done.returncode != 0:
        log = "\n".join(done.stderr.splitlines()[-15:])
        raise LocalClusterError(
            f"The local cluster failed at `kwokctl {' '.join(arguments[:2])}`:\n{log}\nRun `make down` to clean up."
        )


def components() -> dict[str, bool]:
    """The processes of the cluster and whether each one runs. Empty if there is no cluster."""
    if not KUBECONFIG.exists():
        return {}
    return {note.stem: _noted(note) is not None for note in _notes()} | {"operators": operator_runner.is_running()}
