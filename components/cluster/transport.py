"""HTTP requests to an API server: TLS, proxies, timeouts, size limits, and reasons of failure.

No message contains what was sent: neither headers nor a proxy's URL.
"""

import os
import re
import shutil
import socket
import ssl
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import urlencode, urlsplit

import urllib3
from urllib3 import exceptions, make_headers

from .credentials import Credentials, Shown
from .deadline import expired, remaining, run_within
from .kubeconfig import Cluster, Context, KubeconfigError, read_file
from .proxies import proxy_for

MAX_BODY_BYTES = 64 * 1024 * 1024
"""Maximum size in bytes of one response. A page of 500 TrainJobs has about one million."""

MAX_CONNECTIONS = 16
"""Connections that are kept open between requests."""

UNAUTHORIZED, TOO_MANY_REQUESTS, UNAVAILABLE = 401, 429, 503

UNCONNECTED = (exceptions.NewConnectionError, exceptions.ConnectTimeoutError, exceptions.ProxyError)
"""Errors of urllib3 before anything is sent."""

_CERTIFICATE = re.compile(rb"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.DOTALL)


class TransportError(Exception):
    """There was no response. The message says what the API server did instead."""

    was_sent = True
    """Whether the API server may have received the request."""

    may_pass = True
    """Whether a retry may succeed."""


class UnconnectedError(TransportError):
    """No connection was established."""

    was_sent = False


class UntrustedError(TransportError):
    """The server's certificate is not trusted."""

    may_pass = False


@dataclass(frozen=True)
class Limits:
    """Timeouts and limits."""

    connect: float = 5.0
    """Seconds to connect, including TLS."""

    read: float = 15.0
    """Seconds to wait for the next byte of a response. API servers give a webhook ten seconds by default."""

    call: float = 30.0
    """Seconds for one request, including retries."""

    tries: int = 3
    """Maximum number of attempts. A request that changes something is retried only if it was not sent."""

    pause: float = 0.25
    """Seconds before the second attempt, doubled before the third."""

    retry_after: float = 5.0
    """Maximum seconds to honor of a Retry-After header."""

    body: int = MAX_BODY_BYTES
    """Maximum size in bytes of a response."""


@dataclass(frozen=True)
class Request:
    """A request."""

    method: str
    """HTTP method, such as `GET`."""

    path: str
    """Path in the API."""

    query: Mapping[str, str]
    """Query parameters."""

    headers: Mapping[str, str]
    """Headers, without credentials."""

    body: bytes | None
    """The body."""


@dataclass(frozen=True)
class Reply:
    """A response."""

    status: int
    """HTTP status."""

    body: bytes
    """The body."""

    retry_after: str
    """The Retry-After header."""


class Transport:
    """Sends requests to the API server of a context."""

    def __init__(self, context: Context, limits: Limits) -> None:
        self._cluster, self._limits = context.cluster, limits
        self._credentials = Credentials(context)
        self._proxy = proxy_for(context.cluster)
        self._pools: tuple[tuple[bytes, bytes] | None, urllib3.PoolManager] | None = None
        self._lock = Lock()

    def request(self, asked: Request) -> Reply:
        """The response of the API server. Raises TransportError, KubeconfigError."""
        limit = remaining(self._limits.call)
        if seconds := expired():
            raise UnconnectedError(f"received no request: the {seconds:.3g} s timeout of this operation has passed")
        end, tries, refreshed = time.monotonic() + limit, 0, False
        while True:
            shown = self._credentials.now()
            outcome = self._tried(asked, shown, end, limit)
            if isinstance(outcome, Reply) and outcome.status == UNAUTHORIZED and not refreshed:
                refreshed = True
                if self._credentials.refreshed(shown):
                    continue
            tries += 1
            pause = self._pause(asked.method, tries, outcome)
            if pause is None or time.monotonic() + pause >= end:
                break
            time.sleep(pause)
        if isinstance(outcome, TransportError):
            if seconds := expired():
                raise type(outcome)(f"{outcome}, and the {seconds:.3g} s timeout of this operation has passed")
            raise outcome
        return outcome

    def _pause(self, method: str, tries: int, outcome: "Reply | TransportError") -> float | None:
        """Seconds to wait before the next attempt. None: no further attempt."""
        if tries >= self._limits.tries:
            return None
        pause = self._limits.pause * 2 ** (tries - 1)
        if isinstance(outcome, TransportError):
            return pause if outcome.may_pass and (method == "GET" or not outcome.was_sent) else None
        if method != "GET" or outcome.status not in (TOO_MANY_REQUESTS, UNAVAILABLE):
            return None
        told = float(outcome.retry_after) if outcome.retry_after.isdecimal() else pause
        return min(told, self._limits.retry_after)

    def _tried(self, asked: Request, shown: Shown, end: float, limit: float) -> "Reply | TransportError":
        """One attempt: a response, or why there is none."""
        left = end - time.monotonic()
        try:
            pools = self._pools_for(shown)
            return run_within(max(left, 0), lambda: self._asked(pools, asked, shown, left))
        except TimeoutError:
            return TransportError(f"did not send a complete response within {limit:.3g} s")
        except TransportError as error:
            return error

    def _asked(self, pools: urllib3.PoolManager, asked: Request, shown: Shown, left: float) -> Reply:
        headers = urllib3.HTTPHeaderDict(asked.headers)
        for name, value in shown.headers:
            headers.add(name, value)
        left = max(left, 0.001)
        connect, read = min(self._limits.connect, left), min(self._limits.read, left)
        try:
            response = pools.request(
                asked.method,
                self._cluster.server + asked.path + (f"?{urlencode(asked.query)}" if asked.query else ""),
                headers=headers,
                body=asked.body,
                timeout=urllib3.Timeout(connect=connect, read=read),
                retries=False,
                redirect=False,
                preload_content=False,
                decode_content=False,
            )
            try:
                return self._read(response)
            except BaseException:
                response.close()
                raise
        except TransportError:
            raise
        except Exception as error:
            # urllib3 and http.client raise more than their own errors.
            raise _reason(error, connect, read) from None

    def _read(self, response: urllib3.BaseHTTPResponse) -> Reply:
        # A compressed body, which was not requested, could be of any size.
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise TransportError("sent a compressed response, which was not requested")
        content = bytearray()
        while chunk := response.read(1024 * 1024):
            content += chunk
            if len(content) > self._limits.body:
                raise TransportError(f"sent more than {self._limits.body} bytes")
        response.release_conn()
        return Reply(response.status, bytes(content), response.headers.get("Retry-After", ""))

    @property
    def where(self) -> str:
        """The API server, for messages."""
        return f"the API server at {self._cluster.server}{' (through a proxy)' if self._proxy else ''}"

    def _pools_for(self, shown: Shown) -> urllib3.PoolManager:
        """Connections with the client's current certificate."""
        with self._lock:
            if self._pools is None or self._pools[0] != shown.certificate:
                self._pools = (shown.certificate, self._opened(shown.certificate))
            return self._pools[1]

    def _opened(self, certificate: tuple[bytes, bytes] | None) -> urllib3.PoolManager:
        options: dict[str, Any] = {"num_pools": 1, "maxsize": MAX_CONNECTIONS}
        if self._cluster.server.startswith("https://"):
            options["ssl_context"] = _tls(self._cluster, certificate)
            if self._cluster.tls_server_name:
                options["server_hostname"] = self._cluster.tls_server_name
            if self._cluster.insecure:
                # The kubeconfig requests this, so a warning for each request adds nothing.
                urllib3.disable_warnings(exceptions.InsecureRequestWarning)
        if self._proxy is None:
            return urllib3.PoolManager(**options)
        proxy = urlsplit(self._proxy)
        if proxy.username is not None:
            options["proxy_headers"] = make_headers(proxy_basic_auth=f"{proxy.username}:{proxy.password or ''}")
        address = f"{proxy.scheme}://{proxy.netloc.rpartition('@')[2]}"
        # The proxy is verified with the same CA certificates. It does not get the client's certificate.
        return urllib3.ProxyManager(address, proxy_ssl_context=_tls(self._cluster, None), **options)


def _reason(error: BaseException, connect: float, read: float) -> TransportError:
    """Why there was no response, in our own words: libraries quote whatever they were given."""
    causes = _causes(error)
    kind = UnconnectedError if any(isinstance(each, UNCONNECTED) for each in causes) else TransportError
    for each in causes:
        if isinstance(each, ssl.SSLCertVerificationError):
            return UntrustedError(f"has an untrusted certificate: {each.verify_message}")
        if why := _why(each, connect, read):
            return kind(why)
    return kind("closed the connection or does not speak HTTP")


def _why(error: BaseException, connect: float, read: float) -> str | None:
    match error:
        case ssl.SSLError():
            return f"caused a TLS error: {(error.reason or 'no reason').replace('_', ' ').lower()}"
        case exceptions.ConnectTimeoutError():
            return f"did not accept a connection within {connect:.3g} s"
        case exceptions.ReadTimeoutError():
            return f"sent nothing for {read:.3g} s"
        case socket.gaierror() | exceptions.NameResolutionError():
            return "has a host name that cannot be resolved"
        case OSError() if error.strerror:
            return f"cannot be reached: {error.strerror}"
    return None


def _causes(error: BaseException | None) -> list[BaseException]:
    """An error and its causes, the innermost first."""
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        reason = getattr(error, "reason", None)
        inner = [each for each in (reason, *error.args) if isinstance(each, BaseException)]
        error = inner[0] if inner else error.__cause__ or error.__context__
    return found[::-1]


def _tls(cluster: Cluster, certificate: tuple[bytes, bytes] | None) -> ssl.SSLContext:
    """TLS settings as in Go: any given certificate is a trust anchor, and common names are not host names."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.hostname_checks_common_name = False
    context.set_alpn_protocols(["http/1.1"])
    context.verify_flags = ssl.VerifyFlags.VERIFY_X509_TRUSTED_FIRST | ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN
    if cluster.insecure:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    elif cluster.ca_data or cluster.ca_file:
        what = "The file of `certificate-authority`"
        given = cluster.ca_data or read_file(cluster.ca_file, what)
        what = "`certificate-authority-data`" if cluster.ca_data else what
        anchors = b"\n".join(_CERTIFICATE.findall(given))
        _loaded(
            lambda: context.load_verify_locations(cadata=anchors.decode("ascii")), f"{what} contains no certificate"
        )
    else:
        context.load_default_certs()
    if certificate is not None:
        _loaded(lambda: _load_pair(context, *certificate), "The client's certificate and key do not match")
    return context


def _loaded(load: Callable[[], None], why: str) -> None:
    try:
        load()
    except (ssl.SSLError, ValueError, TypeError, OSError):
        raise KubeconfigError(
            f"{why}.", "Use a PEM file, or its content as base64 in the key that ends in `-data`."
        ) from None


def _load_pair(context: ssl.SSLContext, certificate: bytes, key: bytes) -> None:
    """Load a client's certificate. Python's ssl reads it only from a file. On Linux that is an anonymous file in
    memory, which disappears with the process; elsewhere a file in a private folder, deleted at once."""
    content = certificate + b"\n" + key
    if hasattr(os, "memfd_create") and Path("/proc/self/fd").is_dir():
        with open(os.memfd_create("client"), "wb") as file:
            file.write(content)
            file.flush()
            context.load_cert_chain(f"/proc/self/fd/{file.fileno()}", password="")
        return
    folder = tempfile.mkdtemp()
    try:
        path = Path(folder, "client.pem")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
        context.load_cert_chain(path, password="")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
