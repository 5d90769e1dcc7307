"""The cluster that is meant: found by its context, asked whether it answers."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from stacks.cluster import Cluster, UnreachableCluster

CONFIG = """\
current-context: other
contexts:
- {{name: {context}, context: {{cluster: {context}}}}}
clusters:
- {{name: {context}, cluster: {{server: "{server}"}}}}
"""


@pytest.fixture
def port() -> Iterator[int]:
    """A port where something answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)


def write(project: Path, name: str, context: str, server: str) -> None:
    (project / name).write_text(CONFIG.format(context=context, server=server))


@pytest.mark.usefixtures("project")
def test_a_context_leads_to_the_server_of_its_cluster() -> None:
    assert Cluster(context="local", kubeconfig="kubeconfig").server() == "https://127.0.0.1:6443"


def test_without_a_path_the_kubeconfig_is_the_users(project: Path) -> None:
    (project / "home" / ".kube").mkdir(parents=True)
    write(project, "home/.kube/config", "mine", "https://a")
    assert Cluster(context="mine").server() == "https://a"


def test_without_a_path_the_kubeconfig_is_that_of_the_environment(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project, "one", "a", "https://one")
    write(project, "two", "b", "https://two")
    write(project, "three", "a", "https://three")
    monkeypatch.setenv("KUBECONFIG", "missing:one:two:three")
    assert Cluster(context="b").server() == "https://two"
    assert Cluster(context="a").server() == "https://one"


@pytest.mark.usefixtures("project")
def test_the_current_context_is_never_used() -> None:
    with pytest.raises(UnreachableCluster) as unknown:
        Cluster(context="other", kubeconfig="kubeconfig").server()
    assert unknown.value.violation.message == "kubeconfig has no context `other`."


def test_a_cluster_that_answers_is_let_through(project: Path, port: int) -> None:
    write(project, "up", "up", f"https://127.0.0.1:{port}")
    Cluster(context="up", kubeconfig="up").require_answer()


def test_a_cluster_that_is_down_is_said_to_be_down(project: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"https://127.0.0.1:{server.getsockname()[1]}"
    write(project, "down", "down", address)
    with pytest.raises(UnreachableCluster) as down:
        Cluster(context="down", kubeconfig="down").require_answer()
    violation = down.value.violation
    assert violation.path == "cluster.context"
    assert violation.message == (
        f"No API server answers at {address}, where the context `down` leads: [Errno 111] Connection refused."
    )
    assert violation.fix == "Start the cluster, or the tunnel to it, or name the context of another."


def test_a_cluster_behind_a_proxy_is_not_tried(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(project, "down", "down", "https://192.0.2.1:1")
    monkeypatch.setattr(socket, "create_connection", lambda *_: pytest.fail("tried"))
    monkeypatch.setenv("https_proxy", "http://proxy.example.com:3128")
    Cluster(context="down", kubeconfig="down").require_answer()


def test_an_answer_is_waited_for_five_seconds(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[tuple[object, float]] = []
    write(project, "up", "up", "https://api.example.com")

    def create_connection(address: object, timeout: float) -> socket.socket:
        tried.append((address, timeout))
        return socket.socket()

    monkeypatch.setattr(socket, "create_connection", create_connection)
    Cluster(context="up", kubeconfig="up").require_answer()
    assert tried == [(("api.example.com", 443), 5.0)]
