"""The cluster's API, for what no resource says: whether a webhook answers, what was there before, who still works."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

PATIENCE = 10.0
"""Seconds that one call may take; the API server gives a webhook ten at most."""

MERGE = "application/merge-patch+json"


class NoAnswer(Exception):
    """The API server was not reached, or did not say what it was asked; the message says why."""


@dataclass(frozen=True)
class Answer:
    """What the API server says to one call."""

    status: int
    """HTTP status: 2xx is yes."""

    body: Mapping[str, Any]
    """The object, or the status object of a refusal."""

    @property
    def ok(self) -> bool:
        """Whether it is yes."""
        return self.status < 300

    @property
    def message(self) -> str:
        """Why not."""
        return str(self.body.get("message", f"status {self.status}"))


class ClusterAccess:
    """The API of the cluster that a context of a kubeconfig leads to.

    Nothing is read or reached before the first call, so that it costs nothing where nothing is asked.
    """

    def __init__(self, context: str | None = None, kubeconfig: str | None = None) -> None:
        self.context = context
        """Name of the context. None: the kubeconfig's current one."""
        self.kubeconfig = kubeconfig
        """Path of the kubeconfig, or its content. None: what `$KUBECONFIG` says, else `~/.kube/config`."""

    @property
    def kubectl(self) -> str:
        """How a message begins a command for this cluster."""
        return f"kubectl --context {self.context}" if self.context else "kubectl"

    def call(self, method: str, path: str, body: Any = None, dry_run: bool = False) -> Answer:
        """One call. Raises NoAnswer when the API server was not reached."""
        from kubernetes.client import ApiException
        from urllib3.exceptions import HTTPError

        headers = {"Accept": "application/json", "Content-Type": MERGE if method == "PATCH" else "application/json"}
        try:
            content = self._client.call_api(
                path,
                method,
                query_params=[("fieldManager", "training-platform"), ("dryRun", "All")] if dry_run else [],
                header_params=headers,
                body=body,
                auth_settings=["BearerToken"],
                response_type="object",
                _return_http_data_only=True,
                _request_timeout=PATIENCE,
            )
        except ApiException as error:
            return Answer(error.status, _parsed(error.body))
        except (HTTPError, OSError) as error:
            raise NoAnswer(f"the API server does not answer: {error}") from error
        return Answer(200, content or {})

    def get(self, path: str) -> Mapping[str, Any] | None:
        """An object, or None where there is none. Raises NoAnswer when that cannot be told."""
        answer = self.call("GET", path)
        if answer.status == 404:
            return None
        if not answer.ok:
            raise NoAnswer(f"{path} cannot be read: {answer.message}")
        return answer.body

    def items(self, path: str) -> list[Mapping[str, Any]]:
        """The objects of a list; none where the cluster does not know their kind. Raises NoAnswer likewise."""
        return list((self.get(path) or {}).get("items", []))

    @cached_property
    def _client(self) -> Any:
        """One for all calls and threads, whose connections stay open."""
        # Half a second, and only where something is asked.
        import yaml
        from kubernetes import config
        from kubernetes.config.config_exception import ConfigException

        try:
            if self.kubeconfig and ("\n" in self.kubeconfig or self.kubeconfig.startswith("{")):
                return config.new_client_from_config_dict(yaml.safe_load(self.kubeconfig), self.context)
            return config.new_client_from_config(self.kubeconfig, self.context)
        except ConfigException as error:
            raise NoAnswer(f"the kubeconfig does not lead to a cluster: {error}") from error


def _parsed(body: Any) -> Mapping[str, Any]:
    try:
        parsed = json.loads(body)
    except (TypeError, ValueError):
        return {"message": str(body)}
    return parsed if isinstance(parsed, Mapping) else {"message": str(body)}
