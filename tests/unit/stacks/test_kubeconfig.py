"""The cluster that is meant: found by its context, asked whether it answers."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from components.violation import Violation
from stacks.kubeconfig import UnreachableCluster, require_answer, server

CONFIG = """\
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
    assert server("local", "kubeconfig") == "https://127.0.0.1:6443"


def test_without_a_path_the_kubeconfig_is_the_users(project: Path) -> None:
    (project / "home" / ".kube").mkdir(parents=True)
    write(project, "home/.kube/config", "mine", "https://a")
    assert server("mine", None) == "https://a"


def test_without_a_path_the_kubeconfig_is_that_of_the_environment(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project, "one", "a", "https://one")
    write(project, "two", "b", "https://two")
    write(project, "three", "a", "https://three")
    monkeypatch.setenv("KUBECONFIG", "missing:one:two:three")
    assert server("b", None) == "https://two"
    assert server("a", None) == "https://one"


def test_the_current_context_is_never_used(project: Path) -> None:
    (project / "two").write_text(
        """\
current-context: current
contexts:
- {name: current, context: {cluster: a}}
- {name: other, context: {cluster: b}}
clusters:
- {name: a, cluster: {server: "https://a"}}
- {name: b, cluster: {server: "https://b"}}
"""
    )
    assert server("other", "two") == "https://b"
    with pytest.raises(UnreachableCluster) as unknown:
        server("third", "two")
    assert unknown.value.violation.message == "two has no context `third`."


def test_where_no_file_of_the_environment_exists_the_first_is_missed(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "home" / ".kube").mkdir(parents=True)
    write(project, "home/.kube/config", "mine", "https://a")
    monkeypatch.setenv("KUBECONFIG", "missing:gone")
    with pytest.raises(UnreachableCluster) as unread:
        server("mine", None)
    assert unread.value.violation.message == "missing cannot be read: No such file or directory."


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("contexts: 3", "3 at `contexts` is not a list"),
        ("contexts: {local: {}}", "a mapping at `contexts` is not a list"),
        ("contexts: [x]", '"x" at `contexts[0]` is not a mapping'),
        ("contexts: [{context: {cluster: c}}]", "null at `contexts[0].name` is not a string"),
        ("contexts: [{name: 8, context: {cluster: c}}]", "8 at `contexts[0].name` is not a string"),
        ("contexts: [{name: local, context: c}]", '"c" at `contexts[0].context` is not a mapping'),
        ("clusters: [{name: a}, x]", '"x" at `clusters[1]` is not a mapping'),
        ("clusters: [{name: c, cluster: text}]", '"text" at `clusters[0].cluster` is not a mapping'),
    ],
)
def test_a_kubeconfig_of_another_shape_is_refused_with_the_place(project: Path, config: str, message: str) -> None:
    (project / "bent").write_text(config)
    with pytest.raises(UnreachableCluster) as refused:
        server("local", "bent")
    assert refused.value.violation == Violation(
        "STK-05",
        "cluster.kubeconfig",
        f"bent is no kubeconfig: {message}.",
        "Mend it, or write the path of another.",
    )


@pytest.mark.parametrize("linked", ["[c]", "{c: d}", "null", "d"])
def test_a_context_whose_cluster_is_not_there_leads_nowhere(project: Path, linked: str) -> None:
    (project / "bent").write_text(
        f"contexts: [{{name: local, context: {{cluster: {linked}}}}}]\nclusters: [{{name: c, cluster: {{server: s}}}}]"
    )
    with pytest.raises(UnreachableCluster) as refused:
        server("local", "bent")
    assert refused.value.violation.message == "The context `local` in bent leads to no cluster with a `server`."


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("\0", "embedded null byte"),
        ("~nobody-of-this-name/config", "Could not determine home directory"),
        ("latin", "it is no YAML"),
        ("dates", "month must be in 1..12"),
    ],
)
def test_a_kubeconfig_that_cannot_be_read_is_refused(project: Path, path: str, reason: str) -> None:
    (project / "latin").write_bytes(b"contexts: [\xe9]")
    (project / "dates").write_text("contexts: 2024-13-45")
    with pytest.raises(UnreachableCluster) as refused:
        server("local", path)
    assert refused.value.violation == Violation(
        "STK-05",
        "cluster.kubeconfig",
        f"{path} cannot be read: {reason}.",
        "Write the path of a kubeconfig; a relative one starts at the project's folder.",
    )


@pytest.mark.parametrize(
    "address",
    ["https://a:abc", "https://a:99999", "https://a:0", "https://", "https://[a", "ftp://a", "ftp://a:21", "", "a:b:1"],
)
def test_a_server_that_is_no_url_is_refused(project: Path, address: str) -> None:
    write(project, "bent", "local", address)
    with pytest.raises(UnreachableCluster) as refused:
        server("local", "bent")
    assert refused.value.violation == Violation(
        "STK-05",
        "cluster.context",
        f'The context `local` in bent leads to "{address}", which is no URL of an API server.',
        "Write `https://`, a host and a port from 1 to 65535 there, or name another context.",
    )


@pytest.mark.parametrize(
    ("cluster", "url"),
    [
        ('server: "localhost:8080"', "http://localhost:8080"),
        ("server: localhost", "http://localhost"),
        ('server: "localhost:6443", certificate-authority: ca.crt', "https://localhost:6443"),
        ('server: "localhost:6443", certificate-authority-data: Y2E=', "https://localhost:6443"),
        ('server: "localhost:6443", insecure-skip-tls-verify: true', "https://localhost:6443"),
        ('server: "localhost:6443", insecure-skip-tls-verify: false', "http://localhost:6443"),
    ],
)
def test_a_server_without_a_scheme_is_taken_as_kubectl_takes_it(project: Path, cluster: str, url: str) -> None:
    (project / "bare").write_text(
        f"contexts: [{{name: local, context: {{cluster: c}}}}]\nclusters: [{{name: c, cluster: {{{cluster}}}}}]"
    )
    assert server("local", "bare") == url


def test_a_cluster_that_answers_is_let_through(project: Path, port: int) -> None:
    write(project, "up", "up", f"https://127.0.0.1:{port}")
    require_answer("up", "up")


def test_a_cluster_that_is_down_is_said_to_be_down(project: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"https://127.0.0.1:{server.getsockname()[1]}"
    write(project, "down", "down", address)
    with pytest.raises(UnreachableCluster) as down:
        require_answer("down", "down")
    violation = down.value.violation
    assert violation.path == "cluster.context"
    assert violation.message == (
        f"No API server answers at {address}, where the context `down` leads: [Errno 111] Connection refused."
    )
    assert violation.fix == "Start the cluster, or the tunnel to it, or name the context of another."


def test_a_host_that_no_name_server_can_be_asked_for_does_not_answer(project: Path) -> None:
    host = "a" * 64 + ".example.com"
    write(project, "long", "long", f"https://{host}")
    with pytest.raises(UnreachableCluster) as down:
        require_answer("long", "long")
    assert down.value.violation.message.startswith(f"No API server answers at https://{host}, where the context `long`")


def test_a_cluster_that_the_proxy_is_not_for_is_tried(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"https://127.0.0.1:{server.getsockname()[1]}"
    write(project, "down", "down", address)
    monkeypatch.setenv("https_proxy", "http://proxy.example.com:3128")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with pytest.raises(UnreachableCluster):
        require_answer("down", "down")


def test_a_cluster_behind_a_proxy_is_not_tried(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(project, "down", "down", "https://192.0.2.1:1")
    monkeypatch.setattr(socket, "create_connection", lambda *_: pytest.fail("tried"))
    monkeypatch.setenv("https_proxy", "http://proxy.example.com:3128")
    require_answer("down", "down")


@pytest.mark.parametrize(
    ("address", "port"),
    [("https://api.example.com", 443), ("http://api.example.com", 80), ("https://api.example.com:6443", 6443)],
)
def test_an_answer_is_waited_for_five_seconds(
    address: str, port: int, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[tuple[object, float]] = []
    write(project, "up", "up", address)

    def create_connection(address: object, timeout: float) -> socket.socket:
        tried.append((address, timeout))
        return socket.socket()

    monkeypatch.setattr(socket, "create_connection", create_connection)
    require_answer("up", "up")
    assert tried == [(("api.example.com", port), 5.0)]
