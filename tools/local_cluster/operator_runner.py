"""A kubelet in small for the operators' pods: each is run as a process of this machine, and its readiness is true.

The controllers of the local environment have no container to run in. A pod whose container and image are those of an
operator that was built here (`operators.known`) is run from `.local/bin`, by `operator_pod`; the API server reaches its
webhooks by `webhook_proxy`. Nothing of a pod chooses the program but that comparison.

Run as `python -m tools.local_cluster SOCKET [OWNER]` it serves the cluster until it is stopped. When the owning
process ends, it takes the whole cluster with it.
"""

import contextlib
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import SystemRandom
from typing import Any

from tools import KUBECONFIG, LOCAL
from tools.local_cluster import operators
from tools.local_cluster.operator_pod import OperatorPod, operator_of, report_unknown_image
from tools.local_cluster.webhook_proxy import Target, WebhookProxy
from tools.processes import ProcessId, with_variable

HOME = LOCAL / "operators"
PID = HOME / "pid"
SELECTOR = f"app.kubernetes.io/name in ({', '.join(operator.release for operator in operators.DEFAULT)})"
"""The label that upstream's charts give their pods; `stages.yaml` leaves these pods alone."""

STOP_TIMEOUT = 15.0
"""Seconds that it gets to stop its operators; they need one or two."""

POLL_INTERVAL = 0.5

POD_NETWORK = "192.0.2"
"""Addresses of operators' pods: RFC 5737's for documentation, which no machine has."""


def is_running() -> bool:
    """Whether this checkout's kubelet serves its cluster."""
    return ProcessId.read(PID) is not None


def start(socket: Path, owner: int | None = None) -> None:
    """Start it in the background, with its proxy on that socket."""
    HOME.mkdir(mode=0o700, parents=True, exist_ok=True)
    command = [sys.executable, "-m", "tools.local_cluster", str(socket), *([str(owner)] if owner else [])]
    with (HOME / "log").open("ab") as log:
        process = subprocess.Popen(
            command, cwd=LOCAL.parent, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True
        )
    if started := ProcessId.of(process.pid):
        started.write(PID)


def stop() -> None:
    """Stop it and the operators that it runs, also when it was killed and they were left behind."""
    if running := ProcessId.read(PID):
        running.stop(STOP_TIMEOUT)
    PID.unlink(missing_ok=True)
    # Every operator has its TMPDIR in HOME, which is how it can be told from those of other checkouts.
    for left in with_variable("TMPDIR", f"{HOME}/"):
        left.stop(STOP_TIMEOUT)


def client_of(kubeconfig: Path) -> Any:
    """A client for the cluster of the kubeconfig."""
    from kubernetes import config

    return config.new_client_from_config(str(kubeconfig))


class OperatorPods:
    """The operators' pods of the cluster, and the processes that run them."""

    def __init__(self, core: Any) -> None:
        self._core = core
        self._pods: dict[str, OperatorPod] = {}
        self._addresses = iter(range(1, 1_000_000))

    def sync(self) -> None:
        """Start and stop processes so that they are those of the pods that exist."""
        listed = self._core.list_pod_for_all_namespaces(label_selector=SELECTOR).items
        running = [pod for pod in listed if pod.spec.node_name and not pod.metadata.deletion_timestamp]
        present = {pod.metadata.uid: pod for pod in running}
        for uid in self._pods.keys() - present.keys():
            self._pods.pop(uid).end()
        for uid, pod in present.items():
            operator = operator_of(pod)
            if operator is None or not operator.program.path.exists():
                report_unknown_image(self._core, pod)
                continue
            if uid not in self._pods:
                ip = f"{POD_NETWORK}.{next(self._addresses) % 254 + 1}"
                self._pods[uid] = OperatorPod(pod, operator, HOME / uid, HOME, ip)
            self._pods[uid].sync(self._core)

    def locate(self, target: Target) -> Target | None:
        """The process behind an address of the cluster network: a Service's, or one of this machine (a node's)."""
        host, port = target
        if host == "127.0.0.1":
            return target
        services = self._core.list_service_for_all_namespaces().items
        for service in services:
            if service.spec.cluster_ip == host:
                wanted = next((each.target_port for each in service.spec.ports if each.port == port), None)
                return self._behind(service.metadata.namespace, service.spec.selector or {}, wanted)
        return None

    def _behind(self, namespace: str, selector: dict[str, str], target_port: int | str | None) -> Target | None:
        if target_port is None:
            return None
        ports = [
            pod.port(target_port)
            for pod in list(self._pods.values())
            if pod.is_ready
            and pod.pod.metadata.namespace == namespace
            and selector.items() <= (pod.pod.metadata.labels or {}).items()
        ]
        # Of several replicas any one, as kube-proxy does.
        port = SystemRandom().choice(ports) if ports else None
        return ("127.0.0.1", port) if port else None

    def end(self) -> None:
        """Stop all processes."""
        for pod in self._pods.values():
            pod.end()


def serve(socket: Path, owner: ProcessId | None, delete: Callable[[], None]) -> None:
    """Run the operators' pods until SIGTERM, or until the owner is gone. Then `delete` deletes the cluster."""
    from kubernetes.client import ApiException, CoreV1Api
    from urllib3.exceptions import HTTPError

    pods = OperatorPods(CoreV1Api(client_of(KUBECONFIG)))
    stopping = False

    def on_signal(*_: object) -> None:
        nonlocal stopping
        stopping = True

    signal.signal(signal.SIGTERM, on_signal)
    signal.signal(signal.SIGINT, on_signal)
    WebhookProxy(socket, pods.locate).start()
    try:
        while not stopping and (owner is None or owner.is_alive()):
            # The API server may be stopped and started; what is not done now is done in the next round.
            with contextlib.suppress(ApiException, HTTPError):
                pods.sync()
            time.sleep(POLL_INTERVAL)
    finally:
        pods.end()
    if not stopping:
        PID.unlink(missing_ok=True)
        delete()
