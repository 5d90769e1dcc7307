"""A minimal kubelet for the operators' pods: it runs each as a process of this machine and reports its readiness.

The local environment has no container runtime. If the container and image of a pod are those of an operator that was
built here (`operators.known`), `operator_pod` runs it from `.local/bin`, and the API server reaches its webhooks
through `webhook_proxy`. Nothing else in a pod can select a program.

`python -m tools.local_cluster SOCKET [OWNER_PID OWNER_STARTED]` serves the cluster until it is stopped. If the owning
process ends, it deletes the cluster.
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
"""The label of the pods of upstream's charts. `stages.yaml` does not simulate these pods."""

STOP_TIMEOUT = 15.0
"""Seconds to stop its operators. They need one or two."""

POLL_INTERVAL = 0.5

POD_NETWORK = "192.0.2"
"""Addresses of operators' pods: those for documentation (RFC 5737), which no machine has."""


def is_running() -> bool:
    """Whether the operator runner of this checkout runs."""
    return ProcessId.read(PID) is not None


def start(socket: Path, owner: ProcessId | None = None) -> None:
    """Start the operator runner in the background, with its proxy on this socket."""
    HOME.mkdir(mode=0o700, parents=True, exist_ok=True)
    command = [sys.executable, "-m", "tools.local_cluster", str(socket)]
    if owner:
        # With its start time: the owner may end, and its pid be reused, before the operator runner has started.
        command += [str(owner.pid), str(owner.started)]
    with (HOME / "log").open("ab") as log:
        process = subprocess.Popen(
            command, cwd=LOCAL.parent, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True
        )
    if started := ProcessId.of(process.pid):
        started.write(PID)


def stop() -> None:
    """Stop the operator runner and its operators, including operators that a killed runner left behind."""
    if running := ProcessId.read(PID):
        running.stop(STOP_TIMEOUT)
    PID.unlink(missing_ok=True)
    # Every operator has its TMPDIR in HOME, which distinguishes it from operators of other checkouts.
    for left in with_variable("TMPDIR", f"{HOME}/"):
        left.stop(STOP_TIMEOUT)


def client_of(kubeconfig: Path) -> Any:
    """A client for the cluster of a kubeconfig."""
    from kubernetes import config

    return config.new_client_from_config(str(kubeconfig))


class OperatorPods:
    """The operators' pods of the cluster and their processes."""

    def __init__(self, core: Any) -> None:
        self._core = core
        self._pods: dict[str, OperatorPod] = {}
        self._addresses = iter(range(1, 1_000_000))

    def sync(self) -> None:
        """Start and stop processes to match the existing pods."""
        from kubernetes.client import ApiException

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
            # A pod whose ConfigMap or Secret is missing waits for it; the others go on.
            with contextlib.suppress(ApiException):
                self._pods[uid].sync(self._core)

    def locate(self, target: Target) -> Target | None:
        """The process behind an address in the cluster: of a Service, or of this machine (for a node's address)."""
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
    """Run the operators' pods until SIGTERM, or until the owner has ended. Then `delete` deletes the cluster."""
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
            # The API server may restart. The next round completes what this one could not.
            with contextlib.suppress(ApiException, HTTPError):
                pods.sync()
            time.sleep(POLL_INTERVAL)
    finally:
        pods.end()
    if not stopping:
        PID.unlink(missing_ok=True)
        delete()
