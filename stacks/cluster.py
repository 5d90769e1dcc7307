"""The cluster that a stack deploys to: a context of a kubeconfig, named explicitly, and whether it answers."""

import os
import socket
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import yaml
from pydantic import Field

from components.model import Model
from components.violation import Violation

ANSWER_SECONDS = 5.0


class UnreachableCluster(ValueError):
    """Raised when a kubeconfig does not lead to an API server, or none answers there."""

    def __init__(self, path: str, message: str, fix: str) -> None:
        self.violation = Violation("STK-05", path, message, fix)
        """Why, and what to do about it."""
        super().__init__(str(self.violation))


class Cluster(Model):
    """Which cluster. The context that happens to be the current one of a kubeconfig is never used."""

    context: str = Field(min_length=1)
    """Name of a context in the kubeconfig."""

    kubeconfig: str | None = Field(None, min_length=1)
    """Path of the kubeconfig, relative to the project. Default: what `$KUBECONFIG` says, else `~/.kube/config`."""

    other_nodes: bool = True
    """Whether it has nodes besides those of this stack's pools, for the operators' controllers. False: a controller
    that tolerates no pool's taints is refused, as it would wait for ever. Default: it has."""

    def server(self) -> str:
        """URL of the API server. Raises UnreachableCluster when the kubeconfig does not lead to one."""
        files = self._files()
        configs = [_read(file) for file in files]
        contexts, clusters = _entries(configs, "context"), _entries(configs, "cluster")
        read = ", ".join(map(str, files))
        if self.context not in contexts:
            nearest = get_close_matches(self.context, contexts, n=1)
            guess = f"Did you mean `{nearest[0]}`? " if nearest else ""
            known = ", ".join(f"`{name}`" for name in contexts) or "none"
            raise UnreachableCluster(
                "cluster.context", f"{read} has no context `{self.context}`.", f"{guess}Contexts there: {known}."
            )
        server = clusters.get(contexts[self.context].get("cluster"), {}).get("server")
        if not isinstance(server, str):
            raise UnreachableCluster(
                "cluster.context",
                f"The context `{self.context}` in {read} leads to no cluster with a `server`.",
                "Complete the kubeconfig, or name another context.",
            )
        return server

    def require_answer(self) -> None:
        """Returns when something answers at the API server's address.

        Raises UnreachableCluster when nothing does within 5 s. Behind a proxy nothing is tried: only it could tell.
        """
        server = self.server()
        url = urlsplit(server)
        if url.scheme in getproxies() and not proxy_bypass(url.hostname or ""):
            return
        try:
            socket.create_connection((url.hostname, url.port or 443), ANSWER_SECONDS).close()
        except OSError as error:
            raise UnreachableCluster(
                "cluster.context",
                f"No API server answers at {server}, where the context `{self.context}` leads: {error}.",
                "Start the cluster, or the tunnel to it, or name the context of another.",
            ) from None

    def _files(self) -> list[Path]:
        if self.kubeconfig:
            return [Path(self.kubeconfig)]
        files = [Path(path) for path in os.environ.get("KUBECONFIG", "").split(os.pathsep) if path]
        # kubectl too passes over files of $KUBECONFIG that do not exist, as long as one does.
        return [file for file in files if file.exists()] or files[:1] or [Path("~/.kube/config")]


def _read(file: Path) -> Mapping[str, Any]:
    try:
        config = yaml.safe_load(file.expanduser().read_text())
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no YAML"
        raise UnreachableCluster(
            "cluster.kubeconfig",
            f"{file} cannot be read: {reason}.",
            "Write the path of a kubeconfig; a relative one starts at the project's folder.",
        ) from None
    return config if isinstance(config, Mapping) else {}


def _entries(configs: list[Mapping[str, Any]], kind: str) -> dict[str, Any]:
    """Contexts or clusters by name; of two with one name the first holds, as for kubectl."""
    return {
        entry["name"]: entry.get(kind) or {} for config in reversed(configs) for entry in config.get(f"{kind}s") or ()
    }
