"""Connections that break: each is no answer, none takes longer than its limit, and no other place is asked."""

import base64
import gzip
import os
import re
import socket
import ssl
import struct
import subprocess
import sys
import time
from itertools import repeat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from components.cluster.client import ClusterClient, ClusterReadError
from components.cluster.transport import Limits
from tests.api_server import ApiServer

from .api_answers import QUICK, TRAIN_JOB, TRAIN_JOBS, kubeconfig
from .servers import (
    AUTHORITY,
    CERTIFICATES,
    HASTY,
    HEAD,
    SILENCE,
    WHOLE,
    YES,
    Talk,
    after_request,
    hear,
    listening,
    refused,
    with_tls,
)

UNHURRIED = Limits(connect=5, read=5, call=10, tries=2, pause=0.01, body=100_000)
"""For what is answered at once, and must not be taken for silence where the machine is busy."""


def endlessly(head: bytes, part: bytes, pause: float = 0.0) -> Talk:
    """Hears the request, and sends the head and then the part again and again."""

    def talk(connection: socket.socket) -> None:
        hear(connection)
        connection.sendall(head)
        for each in repeat(part):
            connection.sendall(each)
            time.sleep(pause)

    return talk


def reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def reset_after_request(connection: socket.socket) -> None:
    hear(connection)
    reset(connection)


CLOSED = "closed the connection or does not speak HTTP|Connection reset"

CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
BOMB = gzip.compress(b" " * 50_000_000)

BROKEN: dict[str, tuple[Talk, str | None]] = {
    "reset at once": (reset, CLOSED),
    "closed at once": (lambda _: None, CLOSED),
    "silent": (after_request(SILENCE), "sent nothing for|a complete response within"),
    "closed after the request": (after_request(), CLOSED),
    "reset after the request": (reset_after_request, CLOSED),
    "half a status line": (after_request(b"HTTP/1.1 2"), CLOSED),
    "half a status line and silence": (after_request(b"HTTP/1.1 2", SILENCE), "sent nothing|a complete response"),
    "SSH": (after_request(b"SSH-2.0-OpenSSH_9.2\r\n"), CLOSED),
    "a body alone": (after_request(YES), CLOSED),
    "status 000": (after_request(WHOLE.replace(b"200", b"000", 1)), "does not speak HTTP|status 0"),
    "status of letters": (after_request(WHOLE.replace(b"200", b"2xx", 1)), CLOSED),
    "a negative length": (after_request(HEAD + b"Content-Length: -1\r\n\r\n"), None),
    "a length of letters": (after_request(HEAD + b"Content-Length: many\r\n\r\n"), None),
    "two lengths": (after_request(HEAD + b"Content-Length: 1\r\nContent-Length: 9\r\n\r\n" + YES), None),
    "half of the headers": (after_request(HEAD), None),
    "headers and silence": (after_request(HEAD, SILENCE), "sent nothing|a complete response"),
    "headers, then nothing": (after_request(WHOLE[: -len(YES)], SILENCE), "sent nothing|a complete response"),
    "half of the body": (after_request(WHOLE[:-9]), CLOSED),
    "half of the body and silence": (after_request(WHOLE[:-9], SILENCE), "sent nothing|a complete response"),
    "a body that drips": (endlessly(HEAD + b"\r\n", b" ", 0.05), "a complete response within 0.5 s"),
    "headers that drip": (endlessly(HEAD + b"X: ", b"x", 0.05), "a complete response within 0.5 s"),
    "a status line that drips": (endlessly(b"HTTP/1.1 200 ", b"x", 0.05), "a complete response within 0.5 s"),
    "chunks that drip": (endlessly(CHUNKED, b"1\r\n \r\n", 0.05), "a complete response within 0.5 s"),
    "a chunk of no size": (after_request(CHUNKED + b"x\r\n" + YES), CLOSED),
    "chunks cut short": (after_request(CHUNKED + b"ff\r\n{}"), CLOSED),
    "chunks without an end": (after_request(CHUNKED + b"%x\r\n%s\r\n" % (len(YES), YES)), CLOSED),
    "endless chunks": (endlessly(CHUNKED, b"8000\r\n" + b" " * 0x8000 + b"\r\n"), "more than 100000 bytes"),
    "an endless body": (endlessly(HEAD + b"\r\n", b" " * 0x8000), "more than 100000 bytes"),
    "a huge length": (after_request(HEAD + b"Content-Length: 99999999999\r\n\r\n", b" " * 200_000), "more than 100000"),
    "a bomb of gzip": (
        after_request(HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(BOMB), BOMB),
        "compressed",
    ),
    "brotli": (after_request(WHOLE.replace(b"\r\n", b"\r\nContent-Encoding: br\r\n", 1)), "compressed"),
    "endless headers": (endlessly(HEAD, b"X-Y: z\r\n" * 1000), None),
    "an endless header": (endlessly(HEAD + b"X-Y: ", b"z" * 0x8000), None),
    "endless interim answers": (endlessly(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), None),
    "another protocol": (after_request(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"), "HTTP status 101"),
    "NUL bytes": (after_request(b"\0" * 1000), CLOSED),
    "NUL bytes in headers": (after_request(HEAD + b"\0\0: \0\r\n\r\n"), None),
    "truncated JSON": (after_request(HEAD + b"\r\n" + YES[:-4]), "a body that is not an object"),
    "TLS where HTTP is spoken": (after_request(b"\x15\x03\x01\x00\x02\x02\x46"), CLOSED),
}
"""What a server does with a connection, and what is said of it."""


def test_there_are_at_least_twenty_five_broken_connections() -> None:
    assert len(BROKEN) >= 25


def test_unbroken_response_is_accepted() -> None:
    with listening(after_request(WHOLE)) as port:
        assert ClusterClient(None, kubeconfig(f"http://127.0.0.1:{port}"), UNHURRIED).list_objects(TRAIN_JOBS) == []


@pytest.mark.parametrize(("talk", "said"), BROKEN.values(), ids=BROKEN)
def test_broken_connection_raises(talk: Talk, said: str | None) -> None:
    is_timeout = said is None or "a complete response" in said
    with listening(talk) as port:
        # The kernel may reset the connection before the client has read what was sent on it.
        expected = said and f"{said}|Connection reset by peer"
        refused(f"http://127.0.0.1:{port}", expected, HASTY if is_timeout else UNHURRIED)


def test_port_without_listener_raises() -> None:
    with listening(lambda _: None) as port:
        pass
    refused(f"http://127.0.0.1:{port}", f"the API server at http://127.0.0.1:{port} cannot be reached: Connection ref")
    refused(f"https://127.0.0.1:{port}", "cannot be reached: Connection refused")


def test_unresolvable_host_raises() -> None:
    refused("https://nowhere.invalid", "has a host name that cannot be resolved|a complete response within")


def test_port_that_accepts_no_connection_raises() -> None:
    # A full queue of connections: the next one gets no answer, as behind a firewall.
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        port = server.getsockname()[1]
        waiting = [socket.socket() for _ in range(4)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(("127.0.0.1", port))
        time.sleep(0.05)
        refused(f"http://127.0.0.1:{port}", "did not accept a connection within|sent nothing|a complete response")
        for each in waiting:
            each.close()


# TLS


def cut(connection: socket.socket) -> None:
    """Ends a connection without the goodbye of TLS."""
    connection.recv(65536)
    connection.sendall(WHOLE[:-9])
    socket.socket.shutdown(connection, socket.SHUT_RDWR)


TLS: dict[str, tuple[Talk, str]] = {
    "self-signed": (with_tls("self-signed", after_request(WHOLE)), "has an untrusted certificate: self.signed"),
    "of another host": (with_tls("elsewhere", after_request(WHOLE)), "untrusted certificate: .*mismatch"),
    "expired": (with_tls("expired", after_request(WHOLE)), "untrusted certificate: certificate has expired"),
    "HTTP where TLS is spoken": (after_request(WHOLE), "caused a TLS error"),
    "closed in the handshake": (after_request(), "caused a TLS error|closed the connection|Connection reset"),
    "silent in the handshake": (after_request(SILENCE), "sent nothing|a complete response"),
    "a handshake that drips": (endlessly(b"", b"\x16", 0.05), "caused a TLS error|a complete response|sent nothing"),
    "a bad record": (after_request(b"\x16\x03\x03\x00\x02zz"), "caused a TLS error"),
    "cut in the answer": (with_tls("server", cut), "closed the connection|caused a TLS error"),
    "a certificate of ours is asked for": (
        with_tls("server", after_request(WHOLE), client=True),
        "caused a TLS error|closed the connection|Connection reset|Broken pipe",
    ),
}


@pytest.mark.parametrize(("talk", "said"), TLS.values(), ids=TLS)
def test_broken_tls_raises(talk: Talk, said: str) -> None:
    with listening(talk) as port:
        refused(f"https://127.0.0.1:{port}", said, **AUTHORITY)


def test_untrusted_certificate_is_not_retried() -> None:
    tried: list[socket.socket] = []
    talk = with_tls("self-signed", after_request(WHOLE))

    def noted(connection: socket.socket) -> None:
        tried.append(connection)
        talk(connection)

    with listening(noted) as port, pytest.raises(ClusterReadError):
        ClusterClient(None, kubeconfig(f"https://127.0.0.1:{port}", **AUTHORITY), QUICK).get(TRAIN_JOB)
    assert len(tried) == 1


def data(name: str) -> str:
    return base64.b64encode((CERTIFICATES / name).read_bytes()).decode()


TRUSTED: dict[str, tuple[str, dict[str, Any]]] = {
    "by the path of an authority": ("server", AUTHORITY),
    "by the data of an authority": ("server", {"certificate-authority-data": data("ca.pem")}),
    # Whatever is given is an anchor, for Go.
    "by itself": ("self-signed", {"certificate-authority-data": data("self-signed.pem")}),
    "by a name for it": ("elsewhere", {**AUTHORITY, "tls-server-name": "elsewhere.example.com"}),
    "by nobody": ("expired", {"insecure-skip-tls-verify": True}),
}


@pytest.mark.parametrize(("certificate", "cluster"), TRUSTED.values(), ids=TRUSTED)
def test_a_certificate_is_trusted(certificate: str, cluster: dict[str, Any]) -> None:
    with listening(with_tls(certificate, after_request(WHOLE))) as port:
        access = ClusterClient(None, kubeconfig(f"https://127.0.0.1:{port}", **cluster), QUICK)
        assert access.list_objects(TRAIN_JOBS) == []


def test_without_ca_the_systems_cas_are_used() -> None:
    with listening(with_tls("server", after_request(WHOLE))) as port:
        refused(f"https://127.0.0.1:{port}", "untrusted certificate")


def test_tls_server_name_is_verified() -> None:
    with listening(with_tls("server", after_request(WHOLE))) as port:
        named: dict[str, Any] = {**AUTHORITY, "tls-server-name": "api.example.com"}
        refused(f"https://127.0.0.1:{port}", "untrusted certificate", **named)


@pytest.mark.parametrize("content", [b"", b"text", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
def test_an_authority_without_a_certificate_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_bytes(content)
    cluster: dict[str, Any] = {"certificate-authority": str(tmp_path / "ca.pem")}
    access = ClusterClient(None, kubeconfig("https://127.0.0.1:9", **cluster), QUICK)
    with pytest.raises(ClusterReadError, match="The file of `certificate-authority` contains no certificate"):
        access.get(TRAIN_JOB)


CLIENT = (CERTIFICATES / "client.pem").read_text()
CERTIFICATE, KEY = re.findall("-----BEGIN.*?-----END.*?-----\n", CLIENT, re.DOTALL)


def test_client_certificate_is_sent(tmp_path: Path) -> None:
    (tmp_path / "tls.crt").write_text(CERTIFICATE)
    (tmp_path / "tls.key").write_text(KEY)
    by_path = {"client-certificate": str(tmp_path / "tls.crt"), "client-key": str(tmp_path / "tls.key")}
    by_data = {
        "client-certificate-data": base64.b64encode(CERTIFICATE.encode()).decode(),
        "client-key-data": base64.b64encode(KEY.encode()).decode(),
    }
    with listening(with_tls("server", after_request(WHOLE), client=True)) as port:
        for user in (by_path, by_data):
            text = kubeconfig(f"https://127.0.0.1:{port}", user, **AUTHORITY)
            assert ClusterClient(None, text, QUICK).list_objects(TRAIN_JOBS) == []


def test_client_certificate_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "tls.crt").write_text((CERTIFICATES / "elsewhere.pem").read_text())
    (tmp_path / "tls.key").write_text((CERTIFICATES / "elsewhere.pem").read_text())
    user = {"client-certificate": str(tmp_path / "tls.crt"), "client-key": str(tmp_path / "tls.key")}
    shown: list[str] = []

    def talk(connection: Any) -> None:
        shown.append(connection.getpeercert()["subject"][0][0][1])
        after_request(WHOLE)(connection)

    with listening(with_tls("server", talk, client=True)) as port:
        access = ClusterClient(None, kubeconfig(f"https://127.0.0.1:{port}", user, **AUTHORITY), QUICK)
        access.list_objects(TRAIN_JOBS)
        for name in ("tls.crt", "tls.key"):
            (tmp_path / name).write_text(CLIENT)
        access.list_objects(TRAIN_JOBS)
    assert shown == ["elsewhere", "client"]


ENCRYPTED = (CERTIFICATES / "encrypted-key.pem").read_text()


@pytest.mark.parametrize("key", ["not a key", ENCRYPTED, (CERTIFICATES / "server.pem").read_text(), ""])
def test_key_that_does_not_match_its_certificate_is_rejected_and_not_shown(key: str, tmp_path: Path) -> None:
    (tmp_path / "tls.crt").write_text(CERTIFICATE)
    (tmp_path / "tls.key").write_text(key)
    user = {"client-certificate": str(tmp_path / "tls.crt"), "client-key": str(tmp_path / "tls.key")}
    with pytest.raises(ClusterReadError) as wrong:
        ClusterClient(None, kubeconfig("https://127.0.0.1:9", user), QUICK).get(TRAIN_JOB)
    assert "The client's certificate and key do not match." in str(wrong.value)
    assert wrong.value.__cause__ is None


KILLED = """
import os, signal, ssl
from components.cluster import transport

load = ssl.SSLContext.load_cert_chain


class Context(ssl.SSLContext):
    def load_cert_chain(self, *args, **more):
        load(self, *args, **more)
        os.kill(os.getpid(), signal.SIGKILL)


pem = open({client!r}, "rb").read()
transport._load_pair(Context(ssl.PROTOCOL_TLS_CLIENT), pem, pem)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="files of the memory are Linux's")
def test_a_program_that_is_killed_leaves_no_key(tmp_path: Path) -> None:
    program = KILLED.format(client=str(CERTIFICATES / "client.pem"))
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    killed = subprocess.run([sys.executable, "-c", program], env=env, check=False, capture_output=True)
    assert (killed.returncode, killed.stderr) == (-9, b"")
    assert list(tmp_path.iterdir()) == []


def test_without_memfd_a_key_is_in_a_temporary_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "memfd_create", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    loaded: list[int] = []
    load = ssl.SSLContext.load_cert_chain

    def noted(context: ssl.SSLContext, path: Path, password: str) -> None:
        loaded.append(path.stat().st_mode & 0o777)
        load(context, path, password=password)

    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", noted)
    user = {
        "client-certificate-data": base64.b64encode(CERTIFICATE.encode()).decode(),
        "client-key-data": base64.b64encode(KEY.encode()).decode(),
    }
    with pytest.raises(ClusterReadError, match="Connection refused"):
        ClusterClient(None, kubeconfig("https://127.0.0.1:9", user), QUICK).get(TRAIN_JOB)
    assert loaded == [0o600]
    assert list(tmp_path.iterdir()) == []


# What is tried again


@pytest.mark.parametrize(("method", "times"), [("GET", 3), ("POST", 1), ("PATCH", 1), ("DELETE", 1)])
def test_only_reads_are_retried_after_they_were_sent(method: str, times: int) -> None:
    heard: list[bytes] = []
    with listening(lambda connection: heard.append(connection.recv(65536))) as port, pytest.raises(ClusterReadError):
        ClusterClient(None, kubeconfig(f"http://127.0.0.1:{port}"), QUICK).request(method, TRAIN_JOB, {})
    assert len(heard) == times


def test_unsent_requests_are_retried(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening(after_request(WHOLE)) as port:
        pass
    slept: list[float] = []
    monkeypatch.setattr(
        "components.cluster.transport.time", SimpleNamespace(sleep=slept.append, monotonic=time.monotonic)
    )
    with pytest.raises(ClusterReadError, match="Connection refused"):
        ClusterClient(None, kubeconfig(f"http://127.0.0.1:{port}")).request("DELETE", TRAIN_JOB, {})
    assert slept == [0.25, 0.5]


def test_pause_requested_by_a_busy_api_server_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(
        "components.cluster.transport.time", SimpleNamespace(sleep=slept.append, monotonic=time.monotonic)
    )
    for told, pauses in (("1", [1.0, 1.0]), ("3600", [5.0, 5.0]), ("soon", [0.25, 0.5]), ("-1", [0.25, 0.5])):
        slept.clear()
        busy = (429, b"", {"Retry-After": told})
        with ApiServer(lambda *_, busy=busy: busy) as server, pytest.raises(ClusterReadError):
            ClusterClient(None, kubeconfig(server.url)).get(TRAIN_JOB)
        assert slept == pauses


def test_the_limits_are_those_of_the_docs() -> None:
    assert Limits() == Limits(
        connect=5.0, read=15.0, call=30.0, tries=3, pause=0.25, retry_after=5.0, body=64 * 1024 * 1024
    )
