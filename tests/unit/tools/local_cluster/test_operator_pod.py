"""A pod of upstream's chart as a process: its ports, its configuration file, the file that all clusters share."""

import os
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes.client import (
    V1ConfigMap,
    V1ConfigMapVolumeSource,
    V1Container,
    V1ContainerPort,
    V1ObjectMeta,
    V1Pod,
    V1PodSpec,
    V1Secret,
    V1SecretVolumeSource,
    V1Volume,
    V1VolumeMount,
)

from tools.go_build import module_folder
from tools.local_cluster import operator_pod, operators
from tools.local_cluster.operator_pod import MarkerError, OperatorPod, free_ports, operator_of, require_marker

JOBSET, TRAINER = operators.DEFAULT
CONFIGURATION = """
leaderElection:
  leaderElect: true
internalCertManagement:
  enable: true
  webhookServiceName: jobset-webhook-service
"""


CERTIFICATE = "cert"


def pod(name: str = "controller", image: str = JOBSET.image_reference) -> V1Pod:
    ports = {"health-probe": 8081, "webhook": 9443, "metrics": 8443}
    container = V1Container(
        name=name,
        image=image,
        ports=[V1ContainerPort(name=name, container_port=port) for name, port in ports.items()],
        volume_mounts=[
            V1VolumeMount(name="config", mount_path="/controller.yaml", sub_path="controller.yaml"),
            V1VolumeMount(name="cert", mount_path="/certs"),
        ],
    )
    volumes = [
        V1Volume(name="config", config_map=V1ConfigMapVolumeSource(name="config")),
        V1Volume(name="cert", secret=V1SecretVolumeSource(secret_name=CERTIFICATE)),
    ]
    return V1Pod(metadata=V1ObjectMeta(namespace="batch"), spec=V1PodSpec(containers=[container], volumes=volumes))


class Core:
    """The two objects that the pod mounts."""

    def read_namespaced_secret(self, name: str, namespace: str) -> V1Secret:
        assert (name, namespace) == ("cert", "batch")
        return V1Secret(data={"tls.key": "a2V5"})

    def read_namespaced_config_map(self, name: str, namespace: str) -> V1ConfigMap:
        assert (name, namespace) == ("config", "batch")
        return V1ConfigMap(data={"controller.yaml": CONFIGURATION, "other": "text"})


@pytest.fixture
def running(tmp_path: Path) -> OperatorPod:
    return OperatorPod(pod(), JOBSET, tmp_path / "root", tmp_path, "192.0.2.1")


def test_each_container_port_has_a_port_of_its_own(running: OperatorPod) -> None:
    found = [running.port(port) for port in ("health-probe", "webhook", "metrics")]
    assert len(set(found)) == 3
    assert [running.port(port) for port in (8081, 9443, 8443)] == found
    assert running.port("status-server") is None


def test_configuration_listens_on_the_loopback_address_and_keeps_the_rest(running: OperatorPod) -> None:
    running.write_volumes(Core())
    assert yaml.safe_load((running.root / "controller.yaml").read_text()) == {
        "leaderElection": {"leaderElect": True, "resourceNamespace": "batch"},
        "internalCertManagement": {"enable": True, "webhookServiceName": "jobset-webhook-service"},
        "health": {"healthProbeBindAddress": f"127.0.0.1:{running.port('health-probe')}"},
        "metrics": {"bindAddress": f"127.0.0.1:{running.port('metrics')}"},
        "webhook": {"host": "127.0.0.1", "port": running.port("webhook")},
    }


def test_metrics_are_not_served_where_the_container_has_no_port_for_them(running: OperatorPod) -> None:
    running.pod.spec.containers[0].ports.pop()
    running.write_volumes(Core())
    written = yaml.safe_load((running.root / "controller.yaml").read_text())
    assert written["metrics"] == {"bindAddress": "0"}
    assert written["health"] == {"healthProbeBindAddress": f"127.0.0.1:{running.port('health-probe')}"}


def test_controller_without_a_configuration_file_gets_its_ports_by_flags(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (old,) = (each for each in operators.OLDER if each.release == "kubeflow-trainer" and each.version == "2.0.0")
    started = OperatorPod(pod("manager", old.image_reference), old, tmp_path / "root", tmp_path, "192.0.2.1")
    started.pod.metadata.namespace = old.default_namespace
    container = started.pod.spec.containers[0]
    container.ports, container.args = None, ["--webhook-secret-name=cert"]
    commands: list[list[Any]] = []
    monkeypatch.setattr(operator_pod, "require_marker", lambda: None)
    monkeypatch.setattr(
        "tools.local_cluster.operator_pod.subprocess.Popen", lambda command, **_: commands.append(command)
    )
    started._run()
    assert commands == [
        [
            str(old.program.path),
            "--webhook-secret-name=cert",
            f"--health-probe-bind-address=127.0.0.1:{started.port(8081)}",
            f"--webhook-server-port={started.port(9443)}",
        ]
    ]
    assert operator_of(started.pod) == old


def test_a_container_without_a_readiness_probe_is_ready_while_its_process_runs(running: OperatorPod) -> None:
    assert running.pod.spec.containers[0].readiness_probe is None
    assert not running._probe()
    with subprocess.Popen(["/bin/sleep", "60"]) as process:
        running.process = process
        assert running._probe()
        process.kill()
    assert not running._probe()


def test_older_operators_are_those_of_the_matrix() -> None:
    assert [(each.release, each.version) for each in operators.OLDER] == [
        ("jobset", "0.8.2"),
        ("kubeflow-trainer", "2.0.0"),
        ("jobset", "0.11.1"),
        ("kubeflow-trainer", "2.2.0"),
    ]


def test_secrets_are_files_that_others_cannot_read(running: OperatorPod) -> None:
    running.write_volumes(Core())
    key = running.root / "certs" / "tls.key"
    assert key.read_bytes() == b"key"
    assert key.stat().st_mode & 0o777 == 0o600
    assert not (running.root / "other").exists()


@pytest.mark.parametrize(
    ("name", "image", "expected"),
    [
        ("controller", JOBSET.image_reference, JOBSET),
        ("manager", TRAINER.image_reference, TRAINER),
        ("manager", JOBSET.image_reference, None),
        ("controller", "registry.k8s.io/jobset/jobset:v0.1.0", None),
        ("controller", f"evil.example/{JOBSET.image_reference}", None),
        ("../../../bin/sh", JOBSET.image_reference, None),
    ],
)
def test_only_an_operator_that_is_built_here_is_run(name: str, image: str, expected: operators.Operator | None) -> None:
    assert operator_of(pod(name, image)) == expected


def test_marker_is_an_empty_file_that_is_made_once(tmp_path: Path) -> None:
    marker = tmp_path / "webhook" / "certs" / "tls.crt"
    require_marker(marker)
    assert marker.read_bytes() == b""
    marker.write_bytes(b"of another user")
    require_marker(marker)
    assert marker.read_bytes() == b"of another user"


@pytest.mark.parametrize("place", ["webhook", "webhook/certs", "webhook/certs/tls.crt"])
@pytest.mark.parametrize("of", ["nothing", "folder", "file"])
def test_marker_follows_no_link(tmp_path: Path, place: str, of: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    link = tmp_path / place
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(tmp_path / of)
    with pytest.raises(MarkerError, match=r"both operators need .*Remove it\."):
        require_marker(tmp_path / "webhook" / "certs" / "tls.crt")
    assert not (tmp_path / "nothing").exists()
    assert [*(tmp_path / "folder").iterdir()] == []


def test_marker_can_be_read_by_every_user_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        require_marker(tmp_path / "webhook" / "certs" / "tls.crt")
    finally:
        os.umask(before)
    assert (tmp_path / "webhook").stat().st_mode & 0o777 == 0o755


def test_ports_are_below_those_of_outgoing_connections() -> None:
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    if lowest < operator_pod.PORTS.stop:
        pytest.skip(f"this machine gives connections ports from {lowest}")
    assert all(port in operator_pod.PORTS for port in free_ports(4))
    assert operator_pod.PORTS.stop <= lowest


def test_port_in_use_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as held:
        taken: Any = free_ports(1)[0]
        held.bind(("127.0.0.1", taken))
        monkeypatch.setattr(operator_pod, "PORTS", range(taken, taken + 2))
        assert free_ports(1) == [taken + 1]
        with pytest.raises(OSError, match="is free"):
            free_ports(2)


def script(running: OperatorPod, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Gives the operator a program of the test's own, which ends by itself, and runs it."""
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o700)
    monkeypatch.setattr("tools.go_build.Program.path", program)
    monkeypatch.setattr(operator_pod, "require_marker", lambda: None)
    running._run()
    assert running.process
    running.process.wait(60)


@pytest.mark.parametrize("namespace", ["batch", JOBSET.default_namespace])
def test_controller_reads_the_namespace_of_its_pod(
    namespace: str, running: OperatorPod, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running.pod.metadata.namespace = namespace
    running.pod.spec.containers[0].args = ["--certs=/certs/tls.crt"]
    file = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"
    script(running, tmp_path, monkeypatch, f'echo "$(cat {file} || echo {JOBSET.default_namespace}) $1 $$"')
    assert running.process
    # The process is the program itself, so that whoever stops it stops the program.
    arguments = f"--certs={running.root}/certs/tls.crt {running.process.pid}"
    log = (tmp_path / f"{JOBSET.program_name}.log").read_text()
    assert f"{namespace} {arguments}" in log.splitlines()


def test_default_namespace_is_upstreams() -> None:
    for operator in operators.known():
        source = module_folder(operator.go_module, operator.module) / "pkg" / "util" / "cert" / "cert.go"
        assert f'"{operator.default_namespace}"' in source.read_text()


def test_mount_path_stays_in_the_pods_folder(running: OperatorPod, tmp_path: Path) -> None:
    config, certificates = running.pod.spec.containers[0].volume_mounts
    config.mount_path, certificates.mount_path = "/../../above.yaml", "../certs/../.."
    running.write_volumes(Core())
    assert {each.name for each in tmp_path.iterdir()} == {"root"}
    assert (running.root / "above.yaml").exists()
    assert (running.root / "tls.key").exists()


def test_invalid_configuration_file_is_left_to_the_controller(running: OperatorPod) -> None:
    assert running._local("leaderElection: {") == "leaderElection: {"


def test_marker_does_not_follow_a_link_created_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificates, target = tmp_path / "webhook" / "certs", tmp_path / "target"
    certificates.mkdir(parents=True)
    target.mkdir()
    really_open = os.open

    def late(path: Any, *args: Any, **more: Any) -> int:
        if str(path).endswith("tls.crt"):
            certificates.rename(tmp_path / "webhook" / "moved")
            certificates.symlink_to(target)
        return really_open(path, *args, **more)

    monkeypatch.setattr(os, "open", late)
    require_marker(certificates / "tls.crt")
    assert [*target.iterdir()] == []


def with_arguments(running: OperatorPod, *arguments: str) -> OperatorPod:
    running.pod.spec.containers[0].args = list(arguments)
    running.write_volumes(Core())
    return running


@pytest.mark.parametrize(
    ("arguments", "is_local"),
    [
        (["--config=/controller.yaml"], True),
        (["--zap-log-level=2", "-config=/controller.yaml"], True),
        ([], False),
        (["--config=/etc/controller.yaml"], False),
        (["--config=/controller.yaml", "--config=/certs/tls.key"], False),
    ],
)
def test_controller_that_would_listen_on_all_addresses_is_not_run(
    running: OperatorPod, arguments: list[str], is_local: bool
) -> None:
    assert with_arguments(running, *arguments).is_local is is_local


def test_controller_that_is_not_run_reports_the_reason(running: OperatorPod) -> None:
    said: list[Any] = []

    class Reported(Core):
        def patch_namespaced_pod_status(self, _name: str, _namespace: str, body: Any) -> None:
            said.append(body["status"]["containerStatuses"][0]["state"]["waiting"]["reason"])

    running.pod.spec.containers[0].args = []
    running.sync(Reported())
    assert (said, running.process) == (["CreateContainerConfigError"], None)


def test_configuration_without_sections_listens_on_the_loopback_address(running: OperatorPod) -> None:
    written = yaml.safe_load(running._local("kind: Configuration\nhealth: null\nmetrics: none\n"))
    assert written["webhook"]["host"] == "127.0.0.1"
    assert written["health"]["healthProbeBindAddress"].startswith("127.0.0.1:")
    assert written["metrics"]["bindAddress"].startswith("127.0.0.1:")
    assert running._local("text") == "text"
