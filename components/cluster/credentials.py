"""The credentials of a kubeconfig's user: a token, a password, a certificate, or the output of an exec plugin.

Facts: k8s.io/client-go@v0.35.0, transport/round_trippers.go and plugin/pkg/client/auth/exec/exec.go.
"""

import base64
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import quote

from .deadline import remaining
from .kubeconfig import Cluster, Context, ExecPlugin, KubeconfigError, User, is_header, read_file

EXEC_TIMEOUT = 60.0
"""Seconds for an exec plugin to print credentials. Some call a service for them."""

NAME_CHARACTERS = "!#$&'*+-.^_`|~"
"""Characters, beside letters and digits, that a header's name may have, except the percent sign (RFC 9110, section
5.6.2)."""


@dataclass(frozen=True, repr=False)
class Shown:
    """The credentials of one request. It has no `repr`, because all of it is secret."""

    headers: tuple[tuple[str, str], ...]
    """Headers. Several may have the same name."""

    certificate: tuple[bytes, bytes] | None = None
    """The client's certificate and key, as PEM."""


class Credentials:
    """The credentials of a context's user, for many requests."""

    def __init__(self, context: Context) -> None:
        self._user, self._cluster = context.user, context.cluster
        self._is_secure = context.cluster.server.startswith("https://")
        self._token = ""
        self._lock = Lock()
        self._printed: tuple[Shown, datetime | None] | None = None

    def now(self) -> Shown:
        """The credentials for a request that is sent now. Raises KubeconfigError.

        Over HTTP without TLS there are none, except the user to impersonate: client-go withholds credentials there
        (tools/clientcmd/client_config.go, ClientConfig).
        """
        impersonation = tuple(_impersonation(self._user))
        if not self._is_secure:
            return Shown(impersonation)
        shown = self._own()
        return Shown((*impersonation, *shown.headers), shown.certificate)

    def refreshed(self, refused: Shown) -> bool:
        """Whether there are other credentials, after `refused` was answered with 401. Raises KubeconfigError."""
        if self._user.exec_plugin is None or not self._is_secure:
            return False
        with self._lock:
            self._printed = None
        now = self.now()
        return (now.headers, now.certificate) != (refused.headers, refused.certificate)

    def _own(self) -> Shown:
        user = self._user
        certificate = _certificate(user)
        if token := self._bearer_token():
            return Shown((_bearer(token),), certificate)
        if user.username or user.password:
            pair = base64.b64encode(f"{user.username}:{user.password}".encode()).decode()
            return Shown((("Authorization", f"Basic {pair}"),), certificate)
        if user.exec_plugin and not certificate:
            return self._of_plugin(user.exec_plugin)
        return Shown((), certificate)

    def _bearer_token(self) -> str:
        """The token of the file, which may change at any time; otherwise the token beside it, or the last one read."""
        if not self._user.token_file:
            return self._user.token
        try:
            content = read_file(self._user.token_file, "The file of `tokenFile`")
            self._token = content.decode("ascii", errors="replace").strip() or self._token or self._user.token
        except KubeconfigError:
            self._token = self._token or self._user.token
            if not self._token:
                raise
        if not self._token or not is_header(self._token):
            message = "The file of `tokenFile` is not a token: it is empty or has several lines."
            raise KubeconfigError(message, "Set the path of a file with one token.")
        return self._token

    def _of_plugin(self, plugin: ExecPlugin) -> Shown:
        with self._lock:
            if self._printed is None or _is_over(self._printed[1]):
                self._printed = _printed(plugin, self._cluster)
            return self._printed[0]


def _certificate(user: User) -> tuple[bytes, bytes] | None:
    certificate = user.certificate_data or (
        read_file(user.certificate_file, "The file of `client-certificate`") if user.certificate_file else b""
    )
    if not certificate:
        return None
    return certificate, user.key_data or read_file(user.key_file, "The file of `client-key`")


def _impersonation(user: User) -> list[tuple[str, str]]:
    if not user.impersonate:
        return []
    return [
        ("Impersonate-User", _encoded(user.impersonate)),
        *([("Impersonate-Uid", _encoded(user.impersonate_uid))] if user.impersonate_uid else []),
        *(("Impersonate-Group", _encoded(group)) for group in user.impersonate_groups),
        *(
            (f"Impersonate-Extra-{quote(key, safe=NAME_CHARACTERS)}", _encoded(value))
            for key, values in user.impersonate_extra.items()
            for value in values
        ),
    ]


def _encoded(value: str) -> str:
    """UTF-8, as client-go sends it. Python's HTTP client takes each byte as a character."""
    return value.encode().decode("latin-1")


def _bearer(token: str) -> tuple[str, str]:
    return "Authorization", f"Bearer {_encoded(token)}"


def _is_over(expires: datetime | None) -> bool:
    return expires is not None and datetime.now(UTC) >= expires


def _printed(plugin: ExecPlugin, cluster: Cluster) -> tuple[Shown, datetime | None]:
    """The credentials that a plugin prints, and when they expire."""
    status = _run(plugin, cluster)
    token, certificate, key = (status.get(each) or "" for each in STATUS)
    texts = all(isinstance(each, str) for each in (token, certificate, key))
    if not texts or not (token or certificate) or bool(certificate) != bool(key) or not is_header(token):
        raise _failure(plugin, "printed neither a token nor a certificate with its key")
    headers = (_bearer(token),) if token else ()
    expires = _time(status.get("expirationTimestamp"), plugin)
    return Shown(headers, (certificate.encode(), key.encode()) if certificate else None), expires


STATUS = ("token", "clientCertificateData", "clientKeyData")


def _run(plugin: ExecPlugin, cluster: Cluster) -> Mapping[str, Any]:
    """The status that a plugin prints. Its output is never put into a message."""
    program = shutil.which(plugin.command)
    if program is None:
        raise _failure(plugin, "is not on PATH, or is not a program")
    spec = {"interactive": False, **({"cluster": _told(cluster)} if plugin.cluster_info else {})}
    asked = {"kind": "ExecCredential", "apiVersion": plugin.api_version, "spec": spec}
    try:
        process = subprocess.Popen(  # noqa: S603 - to run it is what the kubeconfig asks for
            [program, *plugin.args],
            env={**os.environ, **plugin.env, "KUBERNETES_EXEC_INFO": json.dumps(asked)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "its arguments or variables are not text"
        raise _failure(plugin, f"cannot be run: {reason}") from None
    limit = remaining(EXEC_TIMEOUT)
    try:
        printed, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        raise _failure(plugin, f"did not finish within {limit:.3g} s") from None
    finally:
        if process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if process.stdout:
            process.stdout.close()
    if process.returncode:
        raise _failure(plugin, f"failed with exit code {process.returncode}")
    try:
        credential = json.loads(printed)
    except (ValueError, RecursionError):
        credential = None
    if not isinstance(credential, Mapping) or credential.get("kind") != "ExecCredential":
        raise _failure(plugin, "did not print an ExecCredential")
    if credential.get("apiVersion") != plugin.api_version:
        raise _failure(plugin, f"printed an ExecCredential whose version is not {plugin.api_version}")
    status = credential.get("status")
    return status if isinstance(status, Mapping) else {}


def _told(cluster: Cluster) -> dict[str, Any]:
    """The cluster, as a plugin gets it (client-go, rest/exec.go)."""
    authority = cluster.ca_data or (
        read_file(cluster.ca_file, "The file of `certificate-authority`") if cluster.ca_file else b""
    )
    told = {
        "server": cluster.server,
        "tls-server-name": cluster.tls_server_name,
        "insecure-skip-tls-verify": cluster.insecure,
        "certificate-authority-data": base64.b64encode(authority).decode(),
        "proxy-url": cluster.proxy_url,
        "config": cluster.exec_config,
    }
    return {key: value for key, value in told.items() if value}


def _time(text: object, plugin: ExecPlugin) -> datetime | None:
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(str(text))
    except ValueError:
        raise _failure(plugin, "printed an `expirationTimestamp` that is not a time") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _failure(plugin: ExecPlugin, why: str) -> KubeconfigError:
    name = Path(plugin.command).name
    message = f"The exec plugin `{name}`, which logs in to the cluster, {why}."
    return KubeconfigError(message, "Run any `kubectl` command with this context to see the plugin's output.")
