"""Runs one pod of an operator as a process of this machine.

The process gets what the pod specifies: arguments, and ConfigMaps and Secrets as files below a folder that replaces the
container's file system. Only what a process outside a pod cannot have is changed in the controller's configuration
file: it listens on 127.0.0.1 and on free ports, and the namespace of its leader election is explicit, because there is
no service account.
"""

import base64
import os
import shutil
import socket
import stat
import subprocess
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from random import SystemRandom
from typing import Any

import yaml

from tools import KUBECONFIG
from tools.local_cluster import operators

PORTS = range(10_000, 30_000)
"""Ports on which operators and the cluster's components listen. Ports of outgoing connections are above (Linux: from
32768); a cluster has a hundred of them and could take a port before the program that it is for starts."""

CERTIFICATE_MARKER = Path("/tmp/k8s-webhook-server/serving-certs/tls.crt")  # noqa: S108 - the operators' path, not ours
"""The file whose existence both operators await before they serve, whatever TMPDIR is (cert-controller v0.16.0,
pkg/rotator/rotator.go, ensureCertsMounted; JobSet 0.12.0 and Trainer 2.3.0, pkg/util/cert/cert.go). They only check
that it exists; certificates are read below TMPDIR. So several clusters on a machine can share an empty file."""

IN_NAMESPACE = """
mount -t tmpfs none /run && mkdir -p /run/secrets/kubernetes.io/serviceaccount || exit
printf %s "$0" > /run/secrets/kubernetes.io/serviceaccount/namespace
exec "$@"
"""
"""Runs a program where it finds the namespace of its pod, as in a container: the first argument. Both operators look
there for the Secret of their certificates (pkg/util/cert/cert.go). It takes a user namespace, which most systems grant
to every user, so operators in upstream's namespaces are run without it."""

STOP_TIMEOUT = 5.0


class MarkerError(Exception):
    """The shared marker file cannot be created safely. The message says why and what to do."""


def require_marker(marker: Path = CERTIFICATE_MARKER) -> None:
    """Create the shared marker file. It follows no links and changes no existing file.

    Raises:
        MarkerError: The path exists and is not a regular file, or one of its parents is not a folder.
    """
    with ExitStack() as opened:
        above = _opened(marker.parent.parent.parent, None)
        opened.callback(os.close, above)
        # Each by the open folder above it: another user cannot put a link on the way in between.
        for folder in (marker.parent.parent, marker.parent):
            made = False
            with suppress(FileExistsError):
                os.mkdir(folder.name, dir_fd=above)
                made = True
            try:
                above = _opened(folder, above)
            except OSError:
                message = f"{folder} is not a folder, but both operators need {marker}. Remove it."
                raise MarkerError(message) from None
            opened.callback(os.close, above)
            if made:
                os.fchmod(above, 0o755)
        try:
            os.close(os.open(marker.name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644, dir_fd=above))
        except FileExistsError:
            if not stat.S_ISREG(os.stat(marker.name, dir_fd=above, follow_symlinks=False).st_mode):
                raise MarkerError(f"{marker} is not a regular file, but both operators need it. Remove it.") from None
        except OSError as error:
            raise MarkerError(f"{marker}, which both operators need, cannot be created: {error.strerror}.") from error


def _opened(folder: Path, above: int | None) -> int:
    """Open a folder. Below the first one, no link is followed."""
    flags = os.O_RDONLY | os.O_DIRECTORY | (os.O_NOFOLLOW if above is not None else 0)
    return os.open(folder if above is None else folder.name, flags, dir_fd=above)


def free_ports(count: int) -> list[int]:
    """Different ports of 127.0.0.1 on which nothing listens."""
    with ExitStack() as held:  # open together, so that they differ
        return [_take_port(held.enter_context(socket.socket())) for _ in range(count)]


def _take_port(held: socket.socket) -> int:
    for port in SystemRandom().sample(PORTS, len(PORTS)):
        with suppress(OSError):
            held.bind(("127.0.0.1", port))
            return port
    raise OSError(f"No port from {PORTS.start} to {PORTS.stop} is free.")


def operator_of(pod: Any) -> operators.Operator | None:
    """The operator that runs in the pod's first container, by the container's name and image. None: no operator that
    can be built here."""
    container = pod.spec.containers[0]
    named = (container.name, container.image)
    return next((known for known in operators.known() if named == (known.container, known.image_reference)), None)


def now() -> str:
    """The current time, in the API's format."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass
class OperatorPod:
    """The process of a pod, the folder that replaces its file system, and its last reported status."""

    pod: Any
    operator: operators.Operator
    root: Path
    logs: Path
    ip: str
    """Its address in the cluster, to which nothing can connect: `webhook_proxy` maps it to the process."""
    process: subprocess.Popen[bytes] | None = None
    restarts: int = -1
    is_ready: bool | None = None
    started: str = field(default_factory=now)
    configurations: set[str] = field(default_factory=set)
    """The controller's configuration files that are written for a process on this machine."""

    @cached_property
    def ports(self) -> Mapping[int, int]:
        """The process's port for each port of the container."""
        declared = [port.container_port for port in self._container.ports or ()] or [*self.operator.port_flags]
        return dict(zip(declared, free_ports(len(declared)), strict=True))

    @property
    def _container(self) -> Any:
        return self.pod.spec.containers[0]

    def port(self, target: int | str) -> int | None:
        """The process's port for a port of the container, given by number or name. None: the pod has no such port."""
        for port in self._container.ports or ():
            if target in (port.name, port.container_port):
                return self.ports[port.container_port]
        return self.ports.get(target) if isinstance(target, int) else None

    def sync(self, core: Any) -> None:
        """Update the files, the process and the reported status."""
        self.write_volumes(core)
        if not self.is_local:
            message = "the controller has no configuration file in a ConfigMap, and would listen on all addresses"
            report_waiting(core, self.pod, "CreateContainerConfigError", message)
            return
        if self.process is None or self.process.poll() is not None:
            self._run()
        ready = self._probe()
        if ready != self.is_ready:
            self._report(core, ready)

    def write_volumes(self, core: Any) -> None:
        """Write the files that the container mounts, with their current content."""
        namespace = self.pod.metadata.namespace
        volumes = {volume.name: volume for volume in self.pod.spec.volumes or ()}
        for mount in self._container.volume_mounts or ():
            volume = volumes[mount.name]
            files: dict[str, bytes] = {}
            configurations: set[str] = set()
            if volume.secret:
                secret = core.read_namespaced_secret(volume.secret.secret_name, namespace)
                files = {name: base64.b64decode(value) for name, value in (secret.data or {}).items()}
            elif volume.config_map:
                config_map = core.read_namespaced_config_map(volume.config_map.name, namespace)
                texts = config_map.data or {}
                files = {name: self._local(value).encode() for name, value in texts.items()}
                configurations = {name for name, content in files.items() if content != texts[name].encode()}
            for name, content in files.items():
                path = f"{mount.mount_path}/{name}" if not mount.sub_path else mount.mount_path
                if mount.sub_path in (None, "", name):
                    self._write(path, content)
                    self.configurations |= {str(self._path(path))} if name in configurations else set()

    def _write(self, path: str, content: bytes) -> None:
        file = self._path(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_bytes() != content:
            partial = file.with_name(f".{file.name}")
            partial.write_bytes(content)
            partial.chmod(0o600)
            partial.replace(file)

    def _local(self, text: str) -> str:
        """The controller's configuration file, changed for a process on this machine."""
        try:
            configuration = yaml.safe_load(text)
        except yaml.YAMLError:
            return text  # the controller reports the error
        if not isinstance(configuration, dict) or not {"leaderElection", "kind"} & configuration.keys():
            return text
        changed = {
            "health": {"healthProbeBindAddress": self._address("health", 8081)},
            "metrics": {"bindAddress": self._address("metrics", 8443)},
            "leaderElection": {"resourceNamespace": self.pod.metadata.namespace},
        }
        if "statusServer" in configuration:
            changed["statusServer"] = {"port": self.port("status-server")}
        for key, values in changed.items():
            section = configuration.get(key)
            configuration[key] = (section if isinstance(section, dict) else {}) | values
        configuration["webhook"] = {"host": "127.0.0.1", "port": self.port("webhook")}
        return yaml.safe_dump(configuration)

    def _address(self, name: str, container_port: int) -> str:
        """Address to listen on; `0`, which disables it, for a port that the container does not have."""
        port = self.port(name) or self.port(container_port)
        return f"127.0.0.1:{port}" if port else "0"

    def _path(self, path: str) -> Path:
        """A path of the container. Above its root there is nothing, whatever a mount says."""
        return self.root / os.path.normpath(f"/{path}").lstrip("/")

    @property
    def is_local(self) -> bool:
        """Whether the controller is told to listen on 127.0.0.1: by its configuration file, where it takes one."""
        files = [a.partition("=")[2] for a in self._arguments() if a.lstrip("-").startswith("config")]
        return bool(self.operator.port_flags) or (bool(files) and files[-1] in self.configurations)

    def _arguments(self) -> list[str]:
        arguments = list(self._container.args or ())
        for mount in self._container.volume_mounts or ():
            arguments = [a.replace(f"={mount.mount_path}", f"={self._path(mount.mount_path)}") for a in arguments]
        return arguments + [flag.format(self.ports[port]) for port, flag in self.operator.port_flags.items()]

    def _command(self) -> list[str]:
        command, namespace = [str(self.operator.program.path), *self._arguments()], self.pod.metadata.namespace
        if namespace == self.operator.default_namespace:
            return command
        # `env` reports a missing `unshare` in the log, as the end of the controller.
        unshare = ("/usr/bin/env", "unshare", "--user", "--map-root-user", "--mount")
        return [*unshare, "/bin/sh", "-c", IN_NAMESPACE, namespace, *command]

    def _run(self) -> None:
        require_marker()
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = self._path("/tmp")  # noqa: S108 - inside the pod's own folder
        temporary.mkdir(exist_ok=True)
        environment = {"PATH": os.environ["PATH"], "KUBECONFIG": str(KUBECONFIG), "TMPDIR": str(temporary)}
        with (self.logs / f"{self.operator.program_name}.log").open("ab") as log:
            self.process = subprocess.Popen(
                self._command(),
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self.restarts += 1

    def _probe(self) -> bool:
        probe = self._container.readiness_probe
        if probe is None or probe.http_get is None:
            return self.process is not None and self.process.poll() is None
        url = f"http://127.0.0.1:{self.port(probe.http_get.port)}{probe.http_get.path}"
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def _report(self, core: Any, ready: bool) -> None:
        container = self._container
        conditions = {"Initialized": True, "ContainersReady": ready, "Ready": ready}
        status = {
            "phase": "Running",
            "startTime": self.started,
            "podIP": self.ip,
            "podIPs": [{"ip": self.ip}],
            "conditions": [
                {"type": name, "status": str(value), "lastTransitionTime": now()} for name, value in conditions.items()
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
        self.is_ready = ready

    def end(self) -> None:
        """Stop the process and delete its folder."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=STOP_TIMEOUT)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.root, ignore_errors=True)


def report_unknown_image(core: Any, pod: Any) -> None:
    """Report the pod's status as a kubelet does that cannot pull the image."""
    report_waiting(core, pod, "ErrImagePull", f"no controller is built for {pod.spec.containers[0].image}")


def report_waiting(core: Any, pod: Any, reason: str, message: str) -> None:
    """Report the pod's status as a kubelet does that does not start the container, with the reason."""
    container = pod.spec.containers[0]
    waiting = {"waiting": {"reason": reason, "message": message}}
    statuses = (pod.status and pod.status.container_statuses) or ()
    if not any(s.state.waiting and s.state.waiting.reason == reason for s in statuses):
        state = {"name": container.name, "image": container.image, "imageID": "", "ready": False, "restartCount": 0}
        status = {"phase": "Pending", "containerStatuses": [{**state, "state": waiting}]}
        core.patch_namespaced_pod_status(pod.metadata.name, pod.metadata.namespace, {"status": status})
