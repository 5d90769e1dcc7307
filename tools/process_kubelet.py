"""A kubelet in small for the operators' pods: each is run as a process of this machine, its readiness is true.

The real controllers of the local environment have no container to run in, so a pod that carries the label
`training-platform/process: <program>` is run from `.local/bin/<program>` with the pod's own arguments. Its ConfigMaps
and Secrets are written to a folder of its own and kept up to date there, as a kubelet does, and the pod is Ready when
its readiness probe says so: what waits for the Deployment waits for the controller.

Run as `python -m tools.process_kubelet [OWNER]` it serves the cluster until it is stopped. When the owning process
ends, it takes the whole cluster with it.
"""

import base64
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tools import BIN, KUBECONFIG, LOCAL

HOME = LOCAL / "operators"
PID = HOME / "pid"
LABEL = "training-platform/process"
PATIENCE = 15.0
"""Seconds that it gets to stop its operators; they need one or two."""
# Both operators wait for their certificates at this path before they serve, wherever the server itself reads them
# (Trainer 2.0.0 and JobSet 0.8.2, pkg/util/cert/cert.go). They only look whether the file exists; the server reads
# those below TMPDIR, so several clusters on one machine can share an empty file there.
SHARED_MARK = Path("/tmp/k8s-webhook-server/serving-certs/tls.crt")  # noqa: S108 - the operators' path, not ours


def is_alive(pid: int) -> bool:
    """Whether a process of that number runs, and is not just waiting to be reaped."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def is_running() -> bool:
    """Whether this checkout's kubelet serves its cluster."""
    if not PID.exists():
        return False
    # After a crash or a restart of the machine the number may be another process's.
    command = Path(f"/proc/{PID.read_text()}/cmdline")
    return is_alive(int(PID.read_text())) and b"tools.process_kubelet" in command.read_bytes()


def start(owner: int | None = None) -> None:
    """Start it in the background."""
    HOME.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "tools.process_kubelet", *([str(owner)] if owner else [])]
    with (HOME / "log").open("ab") as log:
        process = subprocess.Popen(
            command, cwd=LOCAL.parent, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True
        )
    PID.write_text(str(process.pid))


def stop() -> None:
    """Stop it and the operators that it runs, also when it was killed and they were left behind."""
    if is_running():
        pid = int(PID.read_text())
        os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + PATIENCE
        while is_alive(pid) and time.monotonic() < deadline:
            time.sleep(0.05)
    PID.unlink(missing_ok=True)
    # Every operator has its TMPDIR in HOME, which is how it can be told from those of other checkouts.
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"TMPDIR={HOME}/".encode() in (process / "environ").read_bytes():
                os.kill(int(process.name), signal.SIGKILL)


def client_of(kubeconfig: Path) -> Any:
    """A client for the cluster of the kubeconfig."""
    from kubernetes import config

    return config.new_client_from_config(str(kubeconfig))


@dataclass
class OperatorPod:
    """One pod's process, the folder that stands for its file system, and what was last reported of it."""

    pod: Any
    root: Path
    process: subprocess.Popen[bytes] | None = None
    restarts: int = -1
    reported: bool | None = None
    started: str = field(default_factory=lambda: datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))

    def sync(self, core: Any) -> None:
        """Bring files, process and reported status up to date."""
        self._write_volumes(core)
        if self.process is None or self.process.poll() is not None:
            self._run()
        ready = self._is_ready()
        if ready != self.reported:
            self._report(core, ready)

    def _write_volumes(self, core: Any) -> None:
        spec, namespace = self.pod.spec, self.pod.metadata.namespace
        mounts = {mount.name: mount.mount_path for mount in spec.containers[0].volume_mounts or []}
        for volume in spec.volumes or []:
            if volume.name not in mounts:
                continue
            files: dict[str, bytes] = {}
            if volume.secret:
                secret = core.read_namespaced_secret(volume.secret.secret_name, namespace)
                files = {name: base64.b64decode(value) for name, value in (secret.data or {}).items()}
            elif volume.config_map:
                config_map = core.read_namespaced_config_map(volume.config_map.name, namespace)
                files = {name: value.encode() for name, value in (config_map.data or {}).items()}
            folder = self._path(mounts[volume.name])
            folder.mkdir(parents=True, exist_ok=True)
            for name, content in files.items():
                file = folder / name
                if not file.exists() or file.read_bytes() != content:
                    partial = folder / f".{name}"
                    partial.write_bytes(content)
                    partial.replace(file)

    def _path(self, path: str) -> Path:
        return self.root / path.lstrip("/")

    def _run(self) -> None:
        container = self.pod.spec.containers[0]
        arguments = list(container.args or [])
        for mount in container.volume_mounts or []:
            arguments = [a.replace(f"={mount.mount_path}/", f"={self._path(mount.mount_path)}/") for a in arguments]
        temporary = self._path("/tmp")  # noqa: S108 - inside the pod's own folder
        temporary.mkdir(parents=True, exist_ok=True)
        if not SHARED_MARK.exists():  # it may be another user's
            SHARED_MARK.parent.mkdir(parents=True, exist_ok=True)
            SHARED_MARK.touch()
        program = BIN / self.pod.metadata.labels[LABEL]
        environment = {"PATH": os.environ["PATH"], "KUBECONFIG": str(KUBECONFIG), "TMPDIR": str(temporary)}
        with (HOME / f"{program.name}.log").open("ab") as log:
            self.process = subprocess.Popen([program, *arguments], env=environment, stdout=log, stderr=log)
        self.restarts += 1

    def _is_ready(self) -> bool:
        probe = self.pod.spec.containers[0].readiness_probe.http_get
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{probe.port}{probe.path}", timeout=2) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def _report(self, core: Any, ready: bool) -> None:
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        container = self.pod.spec.containers[0]
        conditions = {"Initialized": True, "ContainersReady": ready, "Ready": ready}
        status = {
            "phase": "Running",
            "startTime": self.started,
            "podIP": "127.0.0.1",
            "podIPs": [{"ip": "127.0.0.1"}],
            "conditions": [
                {"type": name, "status": str(value), "lastTransitionTime": now} for name, value in conditions.items()
            ],
            "containerStatuses": [
                {
                    "name": container.name,
                    "image": container.image,
                    "imageID": "",
                    "ready": ready,
                    "started": True,
                    "restartCount": self.restarts,
                    "state": {"running": {"startedAt": self.started}},
                }
            ],
        }
        core.patch_namespaced_pod_status(self.pod.metadata.name, self.pod.metadata.namespace, {"status": status})
        self.reported = ready

    def end(self) -> None:
        """Stop the process and remove its folder."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.root, ignore_errors=True)


def serve(owner: int | None) -> None:
    """Run the operators' pods until SIGTERM, or until the owner is gone."""
    from kubernetes.client import ApiException, CoreV1Api
    from urllib3.exceptions import HTTPError

    core = CoreV1Api(client_of(KUBECONFIG))
    pods: dict[str, OperatorPod] = {}
    stopping = False

    def on_signal(*_: object) -> None:
        nonlocal stopping
        stopping = True

    signal.signal(signal.SIGTERM, on_signal)
    signal.signal(signal.SIGINT, on_signal)
    while not stopping and (owner is None or is_alive(owner)):
        # The API server may be stopped and started; what is not done now is done in the next round.
        with contextlib.suppress(ApiException, HTTPError):
            found = {
                pod.metadata.uid: pod
                for pod in core.list_pod_for_all_namespaces(label_selector=LABEL).items
                if pod.spec.node_name and not pod.metadata.deletion_timestamp
            }
            for uid in pods.keys() - found.keys():
                pods.pop(uid).end()
            for uid, pod in found.items():
                pods.setdefault(uid, OperatorPod(pod, HOME / uid)).sync(core)
        time.sleep(0.5)
    for running in pods.values():
        running.end()
    if not stopping:
        PID.unlink(missing_ok=True)
        from tools import cluster

        cluster.delete()


if __name__ == "__main__":
    serve(int(sys.argv[1]) if len(sys.argv) > 1 else None)
