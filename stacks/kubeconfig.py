"""What a kubeconfig says of a context: where its API server is, and whether it answers."""

import os
import socket
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import yaml

from components.runtimes.refusal import shown
from components.violation import Violation

ANSWER_SECONDS = 5.0

PORTS = {"http": 80, "https": 443}
"""The port of an API server's URL that names none, by scheme."""

MARKS_OF_TLS = ("certificate-authority", "certificate-authority-data", "insecure-skip-tls-verify")
"""Keys of a kubeconfig's cluster that say that its API server speaks TLS."""

T = TypeVar("T")


class UnreachableCluster(ValueError):
    """Raised when a kubeconfig does not lead to an API server, or none answers there."""

    def __init__(self, path: str, message: str, fix: str) -> None:
        self.violation = Violation("STK-05", path, message, fix)
        """Why, and what to do about it."""
        super().__init__(str(self.violation))


def server(context: str, kubeconfig: str | None) -> str:
    """URL of the API server that a context leads to. Raises UnreachableCluster when it leads to none.

    Without a path the kubeconfig is what `$KUBECONFIG` says, else `~/.kube/config`.
    """
    configs = {file: _read(file) for file in _files(kubeconfig)}
    contexts, clusters = _entries(configs, "context"), _entries(configs, "cluster")
    read = ", ".join(map(str, configs))
    if context not in contexts:
        nearest = get_close_matches(context, contexts, n=1)
        guess = f"Did you mean `{nearest[0]}`? " if nearest else ""
        known = ", ".join(f"`{name}`" for name in contexts) or "none"
        raise UnreachableCluster(
            "cluster.context", f"{read} has no context `{context}`.", f"{guess}Contexts there: {known}."
        )
    name = contexts[context].get("cluster")
    cluster = clusters.get(name, {}) if isinstance(name, str) else {}
    address = cluster.get("server")
    if not isinstance(address, str):
        raise UnreachableCluster(
            "cluster.context",
            f"The context `{context}` in {read} leads to no cluster with a `server`.",
            "Complete the kubeconfig, or name another context.",
        )
    # As kubectl takes a server without a scheme (client-go v0.36.1, rest/url_utils.go, DefaultServerUrlFor).
    scheme = "https" if any(map(cluster.get, MARKS_OF_TLS)) else "http"
    url = address if "://" in address else f"{scheme}://{address}"
    try:
        _address(url)
    except ValueError:
        raise UnreachableCluster(
            "cluster.context",
            f"The context `{context}` in {read} leads to {shown(address)}, which is no URL of an API server.",
            "Write `https://`, a host and a port from 1 to 65535 there, or name another context.",
        ) from None
    return url


def require_answer(context: str, kubeconfig: str | None) -> None:
    """Returns when something answers at the API server's address.

    Raises UnreachableCluster when nothing does within 5 s. Behind a proxy nothing is tried: only it could tell.
    """
    address = server(context, kubeconfig)
    url = urlsplit(address)
    if url.scheme in getproxies() and not proxy_bypass(url.hostname or ""):
        return
    try:
        socket.create_connection(_address(address), ANSWER_SECONDS).close()
    # A host that no name server could be asked for is a UnicodeError, a ValueError.
    except (OSError, ValueError) as error:
        raise UnreachableCluster(
            "cluster.context",
            f"No API server answers at {address}, where the context `{context}` leads: {error}.",
            "Start the cluster, or the tunnel to it, or name the context of another.",
        ) from None


def _files(kubeconfig: str | None) -> list[Path]:
    if kubeconfig:
        return [Path(kubeconfig)]
    files = [Path(path) for path in os.environ.get("KUBECONFIG", "").split(os.pathsep) if path]
    # kubectl too passes over files of $KUBECONFIG that do not exist, as long as one does.
    return [file for file in files if file.exists()] or files[:1] or [Path("~/.kube/config")]


def _read(file: Path) -> Mapping[str, Any]:
    try:
        config = yaml.safe_load(file.expanduser().read_text())
    # `~` of nobody is a RuntimeError; a NUL in the path, and a date that there never was, are ValueErrors.
    except (OSError, RuntimeError, ValueError, yaml.YAMLError) as error:
        match error:
            case OSError():
                reason = error.strerror
            case UnicodeDecodeError() | yaml.YAMLError():
                reason = "it is no YAML"
            case _:
                reason = str(error).rstrip(".")
        raise UnreachableCluster(
            "cluster.kubeconfig",
            f"{file} cannot be read: {reason}.",
            "Write the path of a kubeconfig; a relative one starts at the project's folder.",
        ) from None
    return config if isinstance(config, Mapping) else {}


def _entries(configs: Mapping[Path, Mapping[str, Any]], kind: str) -> dict[str, dict[str, Any]]:
    """Contexts or clusters by name; of two with one name the first holds, as for kubectl."""
    found: dict[str, dict[str, Any]] = {}
    for file, config in configs.items():
        for index, entry in enumerate(_required(list, "a list", config.get(f"{kind}s") or [], file, f"{kind}s")):
            place = f"{kind}s[{index}]"
            named = _required(dict, "a mapping", entry, file, place)
            name = _required(str, "a string", named.get("name"), file, f"{place}.name")
            found.setdefault(name, _required(dict, "a mapping", named.get(kind) or {}, file, f"{place}.{kind}"))
    return found


def _required(kind: type[T], described: str, value: object, file: Path, place: str) -> T:
    if not isinstance(value, kind):
        raise UnreachableCluster(
            "cluster.kubeconfig",
            f"{file} is no kubeconfig: {shown(value)} at `{place}` is not {described}.",
            "Mend it, or write the path of another.",
        )
    return value


def _address(url: str) -> tuple[str, int]:
    """Host and port of an API server's URL. Raises ValueError when it is not one."""
    parts = urlsplit(url)
    port = PORTS.get(parts.scheme) if parts.port is None else parts.port
    if parts.scheme not in PORTS or not parts.hostname or not port:
        raise ValueError(url)
    return parts.hostname, port
