"""Lets the API server connect to Services on a machine without a cluster network.

An egress selector makes the API server ask this proxy for every connection into the cluster (`CONNECT 10.0.0.141:443`
over a unix socket; apiserver.k8s.io/v1beta1, HTTPConnect). The proxy looks up the Service and connects to the process
that runs the pod behind it. For a Service without a ready pod it refuses the connection, as kube-proxy does.
"""

import asyncio
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

Target = tuple[str, int]
"""Host and port."""


class WebhookProxy:
    """A server on a unix socket, in a thread of its own.

    Attributes:
        locate: Returns the process's address for an address in the cluster, or None. Called in threads.
    """

    def __init__(self, path: Path, locate: Callable[[Target], Target | None]) -> None:
        self.locate = locate
        self._path = path

    def start(self) -> None:
        """Serve until the process ends. Raises OSError if the socket cannot be created."""
        self._path.unlink(missing_ok=True)
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(str(self._path))
        listening.listen()
        serve = threading.Thread(target=lambda: asyncio.run(self._serve(listening)), name="webhook-proxy", daemon=True)
        serve.start()

    async def _serve(self, listening: socket.socket) -> None:
        async with await asyncio.start_unix_server(self._connect, sock=listening) as server:
            await server.serve_forever()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            target = parse_connect(await reader.readuntil(b"\r\n\r\n"))
            process = target and await asyncio.get_running_loop().run_in_executor(None, self.locate, target)
            if not process:
                await _answer(writer, "503 connection refused")
                return
            try:
                remote_reader, remote_writer = await asyncio.open_connection(*process)
            except OSError:
                await _answer(writer, "503 connection refused")
                return
            await _answer(writer, "200 OK")
            await asyncio.gather(_copy(reader, remote_writer), _copy(remote_reader, writer))
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # either side went away
        finally:
            writer.close()


def parse_connect(head: bytes) -> Target | None:
    """Host and port of a CONNECT request. None: it is another request, or damaged."""
    method, _, rest = head.decode("ascii", errors="replace").partition(" ")
    host, _, port = rest.split(" ")[0].rpartition(":")
    return (host.strip("[]"), int(port)) if method == "CONNECT" and host and port.isdecimal() else None


async def _answer(writer: asyncio.StreamWriter, status: str) -> None:
    writer.write(f"HTTP/1.1 {status}\r\n\r\n".encode())
    await writer.drain()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while content := await reader.read(65536):
            writer.write(content)
            await writer.drain()
    with suppress(OSError):
        if writer.can_write_eof():
            writer.write_eof()
