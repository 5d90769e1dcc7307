"""The proxy behind the API server's egress selector: CONNECT, then bytes both ways."""

import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.local_cluster.webhook_proxy import Target, WebhookProxy, parse_connect


def ask(path: Path, request: bytes, then: bytes = b"") -> bytes:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(10)
        client.connect(str(path))
        client.sendall(request)
        answer = client.recv(1024)
        if then:
            client.sendall(then)
            client.shutdown(socket.SHUT_WR)
            while part := client.recv(1024):
                answer += part
        return answer


@pytest.fixture
def echo() -> Target:
    """A server that sends back what it was sent, in capitals."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = server.accept()
        with connection, server:
            connection.sendall(connection.recv(1024).upper())

    threading.Thread(target=serve, daemon=True).start()
    host, port = server.getsockname()
    return host, port


def proxy(folder: Path, locate: Callable[[Target], Target | None]) -> Path:
    path = folder / "s"
    WebhookProxy(path, locate).start()
    return path


def test_bytes_reach_the_process_behind_the_service(tmp_path: Path, echo: Target) -> None:
    services = {("10.0.0.141", 443): echo}
    path = proxy(tmp_path, services.get)
    assert ask(path, b"CONNECT 10.0.0.141:443 HTTP/1.1\r\nHost: x\r\n\r\n", b"hello") == b"HTTP/1.1 200 OK\r\n\r\nHELLO"


def test_service_without_a_ready_pod_refuses_the_connection(tmp_path: Path) -> None:
    path = proxy(tmp_path, lambda _: None)
    assert ask(path, b"CONNECT 10.0.0.9:443 HTTP/1.1\r\n\r\n") == b"HTTP/1.1 503 connection refused\r\n\r\n"


def test_process_that_has_ended_refuses_the_connection(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        gone: Target = server.getsockname()
    path = proxy(tmp_path, lambda _: gone)
    assert ask(path, b"CONNECT 10.0.0.9:443 HTTP/1.1\r\n\r\n") == b"HTTP/1.1 503 connection refused\r\n\r\n"


@pytest.mark.parametrize(
    ("head", "target"),
    [
        (b"CONNECT 10.0.0.141:443 HTTP/1.1\r\n\r\n", ("10.0.0.141", 443)),
        (b"CONNECT [fd00::1]:9443 HTTP/1.1\r\n\r\n", ("fd00::1", 9443)),
        (b"GET / HTTP/1.1\r\n\r\n", None),
        (b"CONNECT 10.0.0.141 HTTP/1.1\r\n\r\n", None),
        (b"CONNECT 10.0.0.141:x HTTP/1.1\r\n\r\n", None),
        (b"\xff\r\n\r\n", None),
    ],
)
def test_request_names_host_and_port(head: bytes, target: Target | None) -> None:
    assert parse_connect(head) == target


def test_socket_that_cannot_be_created_ends_the_start(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="too long"):
        WebhookProxy(tmp_path / ("x" * 120), lambda _: None).start()
