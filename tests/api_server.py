"""An API server of a few answers on this machine, which notes what it is asked."""

import json
from collections.abc import Callable, Mapping
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Self

Reply = tuple[int, Any] | tuple[int, Any, Mapping[str, str]]
"""Status, body and more headers; of a body bytes are sent as they are, everything else as JSON."""


class ApiServer:
    """It answers as `reply` says: with the status and body for a method and a path. Default: its version."""

    def __init__(self, reply: Callable[[str, str], Reply] | None = None) -> None:
        self.asked: list[tuple[str, str]] = []
        """Method and path, with the query, of each request."""
        self.headers: list[Message] = []
        """Headers of each request."""
        self.bodies: list[bytes] = []
        """Body of each request."""
        self.connections = 0
        """How many there were."""
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler(reply or (lambda *_: (200, VERSION))))
        self._http.daemon_threads = True

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> Self:
        Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def _handler(self, reply: Callable[[str, str], Reply]) -> type[BaseHTTPRequestHandler]:
        noted = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # in one packet: the second of two would wait for the first one's acknowledgement

            def setup(self) -> None:
                noted.connections += 1
                super().setup()

            def answer(self) -> None:
                noted.asked.append((self.command, self.path))
                noted.headers.append(self.headers)
                noted.bodies.append(self.rfile.read(int(self.headers.get("Content-Length", 0))))
                status, body, *more = reply(self.command, self.path)
                content = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                for name, value in more[0].items() if more else ():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PATCH = do_DELETE = answer  # noqa: N815 - as http.server calls them

            def log_message(self, *_: object) -> None:
                """Nothing."""

        return Handler


VERSION = {"major": "1", "minor": "35", "gitVersion": "v1.35.0"}
"""What an API server says at `/version`."""
