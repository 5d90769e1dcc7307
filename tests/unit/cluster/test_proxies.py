"""Which proxy stands between here and an API server: the kubeconfig's, else the one of the environment, as for Go."""

import base64
import socket
import threading
from collections.abc import Mapping
from typing import Any

import pytest

from components.cluster.client import ClusterClient, ClusterReadError
from components.cluster.kubeconfig import KubeconfigError, read_context
from components.cluster.proxies import proxy_for

from .api_answers import QUICK, TRAIN_JOBS, kubeconfig
from .servers import AUTHORITY, WHOLE, after_request, listening, refused, with_tls

PROXY = "http://proxy.example.com:3128"


def proxy(server: str, environ: Mapping[str, str], **cluster: Any) -> str | None:
    return proxy_for(read_context(None, kubeconfig(server, **cluster)).cluster, environ)


@pytest.mark.parametrize(
    ("server", "environ", "expected"),
    [
        ("https://api", {}, None),
        ("https://api", {"HTTPS_PROXY": PROXY}, PROXY),
        ("https://api", {"https_proxy": PROXY}, PROXY),
        ("https://api", {"HTTPS_PROXY": "", "https_proxy": PROXY}, PROXY),
        ("https://api", {"HTTPS_PROXY": PROXY, "https_proxy": "http://other"}, PROXY),
        ("https://api", {"HTTP_PROXY": PROXY, "ALL_PROXY": PROXY}, None),
        ("http://api", {"HTTPS_PROXY": PROXY, "all_proxy": PROXY}, None),
        ("http://api", {"HTTP_PROXY": PROXY}, PROXY),
        ("http://api", {"HTTP_PROXY": PROXY, "REQUEST_METHOD": "GET"}, None),
        ("https://api", {"HTTPS_PROXY": "proxy.example.com:3128"}, PROXY),
        ("https://localhost:6443", {"HTTPS_PROXY": PROXY}, None),
        ("https://127.0.0.1:6443", {"HTTPS_PROXY": PROXY}, None),
        ("https://127.9.9.9", {"HTTPS_PROXY": PROXY}, None),
        ("https://[::1]:6443", {"HTTPS_PROXY": PROXY}, None),
    ],
)
def test_the_environment_names_a_proxy(server: str, environ: dict[str, str], expected: str | None) -> None:
    assert proxy(server, environ) == expected


@pytest.mark.parametrize("server", ["https://api", "https://localhost", "http://127.0.0.1:8001"])
def test_proxy_of_the_kubeconfig_always_applies(server: str) -> None:
    environ = {"HTTPS_PROXY": "http://other", "NO_PROXY": "*"}
    assert proxy(server, environ, **{"proxy-url": PROXY}) == PROXY


@pytest.mark.parametrize(
    ("host", "no_proxy", "is_direct"),
    [
        ("api.example.com", "*", True),
        ("api.example.com", "example.com", True),
        ("example.com", "example.com", True),
        ("api.example.com", ".example.com", True),
        ("example.com", ".example.com", False),
        ("api.example.com", "*.example.com", True),
        ("example.com", "*.example.com", False),
        ("notexample.com", "example.com", False),
        ("API.example.com", "Example.COM", True),
        ("api.example.com", "other, example.com ,", True),
        ("api.example.com", "example.com:6443", True),
        ("api.example.com", "example.com:443", False),
        ("api.example.com", ":6443", False),
        ("api.example.com", "", False),
        ("10.1.2.3", "10.0.0.0/8", True),
        ("10.1.2.3", "11.0.0.0/8", False),
        ("10.1.2.3", "10.1.2.3", True),
        ("10.1.2.3", "10.1.2.3:6443", True),
        ("10.1.2.3", "10.1.2.3:443", False),
        ("10.1.2.3", "2.3", False),
        ("10.1.2.3", "10.0.0.0/99", False),
        ("[fd00::1]", "fd00::/8", True),
        ("[fd00::1]", "fd00::1", True),
        ("[fd00::1]", "[fd00::1]:6443", True),
        ("[fd00::1]", "[fd00::1]:443", False),
    ],
)
def test_hosts_in_no_proxy_are_reached_directly(host: str, no_proxy: str, is_direct: bool) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        found = proxy(f"https://{host}:6443", {"HTTPS_PROXY": PROXY, name: no_proxy})
        assert found == (None if is_direct else PROXY)


@pytest.mark.parametrize("url", ["socks5://127.0.0.1:1080", "socks5h://proxy"])
def test_socks_proxy_is_rejected(url: str) -> None:
    with pytest.raises(KubeconfigError) as of_kubeconfig:
        read_context(None, kubeconfig("https://api", **{"proxy-url": url}))
    assert str(of_kubeconfig.value) == (
        "`clusters[0].cluster.proxy-url` in the given kubeconfig is a SOCKS proxy; this project supports only "
        "HTTP and HTTPS proxies."
    )
    with pytest.raises(KubeconfigError, match="The environment variable `HTTPS_PROXY` is a SOCKS proxy"):
        proxy("https://api", {"https_proxy": url})


@pytest.mark.parametrize("url", ["ftp://hunter2@proxy", "http://", "http://hunter2@proxy:x", "hunter2", "//proxy"])
def test_invalid_proxy_is_rejected_and_not_shown(url: str) -> None:
    with pytest.raises(KubeconfigError, match=r"`clusters\[0\].cluster.proxy-url` .* is not the URL of an") as wrong:
        read_context(None, kubeconfig("https://api", **{"proxy-url": url}))
    assert "hunter2" not in str(wrong.value) + wrong.value.fix


class Proxy:
    """A proxy that notes what it is asked, and connects to one port whatever it is asked for."""

    def __init__(self, port: int, answer: bytes = b"HTTP/1.1 200 OK\r\n\r\n") -> None:
        self.heard: list[bytes] = []
        self._port, self._answer = port, answer

    def talk(self, connection: socket.socket) -> None:
        self.heard.append(connection.recv(65536))
        connection.sendall(self._answer)
        if b" 200 " not in self._answer:
            return
        with socket.create_connection(("127.0.0.1", self._port)) as there:
            back = threading.Thread(target=pump, args=(there, connection), daemon=True)
            back.start()
            pump(connection, there)
            back.join()


def pump(source: socket.socket, target: socket.socket) -> None:
    try:
        while part := source.recv(65536):
            target.sendall(part)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def test_a_proxy_sees_no_token() -> None:
    heard: list[bytes] = []

    def talk(connection: socket.socket) -> None:
        heard.append(connection.recv(65536))
        connection.sendall(WHOLE)

    with listening(with_tls("server", talk)) as port:
        through = Proxy(port)
        with listening(through.talk) as proxy_port:
            cluster = {
                **AUTHORITY,
                "tls-server-name": "api.internal",
                "proxy-url": f"http://me:hunter3@127.0.0.1:{proxy_port}",
            }
            text = kubeconfig("https://192.0.2.1:6443", {"token": "hunter2"}, **cluster)
            assert ClusterClient(None, text, QUICK).list_objects(TRAIN_JOBS) == []
    assert len(through.heard) == 1
    asked = through.heard[0]
    assert asked.startswith(b"CONNECT 192.0.2.1:6443 HTTP/1.")
    assert b"hunter2" not in asked
    assert base64.b64encode(b"me:hunter3") in asked
    assert b"Bearer hunter2" in heard[0]
    assert b"roxy-Authorization" not in heard[0]


def test_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening(with_tls("server", after_request(WHOLE))) as port:
        through = Proxy(port)
        with listening(through.talk) as proxy_port:
            monkeypatch.setenv("HTTPS_PROXY", f"127.0.0.1:{proxy_port}")
            text = kubeconfig("https://192.0.2.1:6443", **AUTHORITY, **{"tls-server-name": "localhost"})
            assert ClusterClient(None, text, QUICK).list_objects(TRAIN_JOBS) == []
            monkeypatch.setenv("NO_PROXY", "192.0.2.0/24")
            refused("https://192.0.2.1:6443", None)
    assert len(through.heard) == 1


def test_over_http_a_proxy_forwards_and_sees_no_token() -> None:
    heard: list[bytes] = []

    def talk(connection: socket.socket) -> None:
        heard.append(connection.recv(65536))
        connection.sendall(WHOLE)

    with listening(talk) as port:
        text = kubeconfig("http://192.0.2.1", {"token": "hunter2"}, **{"proxy-url": f"http://127.0.0.1:{port}"})
        assert ClusterClient(None, text, QUICK).list_objects(TRAIN_JOBS) == []
    assert heard[0].startswith(f"GET http://192.0.2.1{TRAIN_JOBS}?limit=500 HTTP/1.1".encode())
    assert b"hunter2" not in heard[0]


def test_a_proxy_is_reached_by_tls_whose_certificate_is_verified() -> None:
    with listening(with_tls("server", after_request(WHOLE))) as port:
        for certificate, said in (("server", None), ("self-signed", "untrusted certificate")):
            through = Proxy(port)
            with listening(with_tls(certificate, through.talk)) as proxy_port:
                cluster = {**AUTHORITY, "tls-server-name": "localhost", "proxy-url": f"https://127.0.0.1:{proxy_port}"}
                if said:
                    refused("https://192.0.2.1:6443", said, **cluster)
                else:
                    text = kubeconfig("https://192.0.2.1:6443", **cluster)
                    assert ClusterClient(None, text, QUICK).list_objects(TRAIN_JOBS) == []


@pytest.mark.parametrize(
    "answer", [b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", b"HTTP/1.1 403 No\r\n\r\n", b""]
)
def test_rejecting_proxy_is_reported_without_its_password(answer: bytes) -> None:
    with listening(Proxy(0, answer).talk) as port:
        text = kubeconfig("https://192.0.2.1", **{"proxy-url": f"http://me:hunter2@127.0.0.1:{port}"})
        with pytest.raises(
            ClusterReadError, match=r"the API server at https://192.0.2.1 \(through a proxy\) "
        ) as denied_by:
            ClusterClient(None, text, QUICK).list_objects(TRAIN_JOBS)
    assert "hunter2" not in str(denied_by.value)


def test_proxy_that_is_down_is_reported() -> None:
    with listening(lambda _: None) as port:
        pass
    refused("https://192.0.2.1", "through a proxy.*Connection refused", **{"proxy-url": f"http://127.0.0.1:{port}"})
