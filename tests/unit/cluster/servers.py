"""Servers on a socket that answer as API servers do, or not at all."""

import json
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from components.cluster.client import ClusterClient, ClusterReadError
from components.cluster.deadline import run_within
from components.cluster.transport import Limits

from .api_answers import TRAIN_JOB, TRAIN_JOBS, kubeconfig, train_job_list

HASTY = Limits(connect=0.2, read=0.2, call=0.5, tries=2, pause=0.01, body=100_000)
"""Limits so short that what is silent is no burden to whoever waits for the tests."""

FAR_TOO_LONG = 30.0
"""Seconds after which something hangs."""

CERTIFICATES = Path(__file__).parent / "certificates"

AUTHORITY: dict[str, Any] = {"certificate-authority": str(CERTIFICATES / "ca.pem")}

YES = json.dumps(train_job_list()).encode()
"""A list that says that there is nothing."""

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

WHOLE = HEAD + b"Content-Length: %d\r\n\r\n%s" % (len(YES), YES)

Talk = Callable[[socket.socket], Any]
"""What a server does with a connection, before it is closed."""


@contextmanager
def listening(talk: Talk) -> Iterator[int]:
    """A port where each connection is treated so."""
    over, taken = threading.Event(), list[socket.socket]()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while not over.is_set():
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                taken.append(connection)
                threading.Thread(target=treat, args=(connection,), daemon=True).start()

        def treat(connection: socket.socket) -> None:
            # What was hung up on can't be talked to.
            with connection, suppress(OSError, ValueError):
                talk(connection)

        threading.Thread(target=serve, daemon=True).start()
        try:
            yield server.getsockname()[1]
        finally:
            over.set()
            for each in (server, *taken):
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)


def hear(connection: socket.socket) -> None:
    """Read the whole request: a connection that is closed with something unread is reset, whatever was sent on it."""
    request = b""
    while b"\r\n\r\n" not in request:
        request += (part := connection.recv(65536))
        if not part or not request.startswith((b"GET ", b"DELETE ", b"POST ", b"PATCH ")):
            return  # a handshake of TLS, for instance
    head, _, body = request.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: *(\d+)", head)
    missing = int(length[1]) - len(body) if length else 0
    while missing > 0 and (part := connection.recv(missing)):
        missing -= len(part)


def after_request(*parts: bytes | float) -> Talk:
    """Hears the request, and sends these parts, with pauses of so many seconds."""

    def talk(connection: socket.socket) -> None:
        hear(connection)
        for part in parts:
            connection.sendall(part) if isinstance(part, bytes) else time.sleep(part)

    return talk


SILENCE = 60.0


def refused(server: str, said: str | None, limits: Any = HASTY, **cluster: Any) -> None:
    """Asserts that everything that may be asked there is answered with ClusterReadError, in time."""
    access = ClusterClient(None, kubeconfig(server, **cluster), limits)

    def ask(question: Callable[[], object]) -> None:
        with pytest.raises(ClusterReadError, match=said):
            question()

    questions = (
        lambda: access.list_objects(TRAIN_JOBS),
        lambda: access.get(TRAIN_JOB),
        lambda: access.delete(TRAIN_JOB, uid="u", resource_version="1"),
    )
    with ThreadPoolExecutor() as threads:
        run_within(FAR_TOO_LONG, lambda: list(threads.map(ask, questions)))


def with_tls(certificate: str, talk: Talk, client: bool = False) -> Talk:
    """The same behind a certificate of the tests; `client` asks for one of the client, too."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATES / f"{certificate}.pem")
    if client:
        context.load_verify_locations(CERTIFICATES / "ca.pem")
        context.verify_mode = ssl.CERT_REQUIRED

    def secured(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as tls:
            talk(tls)

    return secured
