"""The cluster's API, for what no resource says: whether a webhook answers, what was there before, who still works.

An answer counts when it is the API server's own: of the kind that was asked for, and with every page of a list. What
else comes, or does not come, is ClusterReadError: whoever guards something stays closed then.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any

from ..validation.printable import printable
from .deadline import deadline
from .kubeconfig import KubeconfigError, read_context

LIST_TIMEOUT = 120.0
"""Seconds for all pages of a list."""

PAGE_ITEMS = 500
"""Objects of one page."""

MERGE_PATCH = "application/merge-patch+json"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
NOT_FOUND, EXPIRED = 404, 410

MAX_MESSAGE = 1000
"""Characters of an API server's message that are shown."""


class ClusterReadError(Exception):
    """The API server was not reached, or did not say what it was asked; the message says why."""

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


@dataclass(frozen=True)
class Response:
    """What the API server says to one call."""

    status: int
    """HTTP status."""

    body: Mapping[str, Any]
    """The object, or the Status of a refusal. Empty where a refusal comes without one: not from an API server then, or
    about a path that it does not have."""

    @property
    def ok(self) -> bool:
        """Whether it is yes."""
        return 200 <= self.status <= 299

    @property
    def message(self) -> str:
        """Why not, in one printable line: webhooks and policies write it."""
        return printable(self.body.get("message") or f"HTTP status {self.status}", MAX_MESSAGE)


@dataclass(frozen=True)
class _Path:
    """What a path of the API is about."""

    text: str
    """`/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets/mnist`, without a query."""

    @property
    def _parts(self) -> list[str]:
        return self.text.strip("/").split("/")

    @property
    def group(self) -> str:
        """`jobset.x-k8s.io`; empty for the core group."""
        return self._parts[1] if self._parts[0] == "apis" else ""

    @property
    def api_version(self) -> str:
        """`jobset.x-k8s.io/v1alpha2`."""
        return "/".join(self._parts[1:3] if self._parts[0] == "apis" else self._parts[1:2])

    @property
    def _below(self) -> list[str]:
        """What follows on the version, without the namespace that it is in."""
        below = self._parts[3 if self._parts[0] == "apis" else 2 :]
        return below[2:] if below[0] == "namespaces" and len(below) > 2 else below

    @property
    def plural(self) -> str:
        """`jobsets`."""
        return self._below[0]

    @property
    def name(self) -> str:
        """`mnist`; empty for a list."""
        return self._below[1] if len(self._below) > 1 else ""

    @property
    def is_discovery(self) -> bool:
        """Whether it is about no objects: the API server lists its groups there, or the kinds of a version."""
        return len(self._parts) < (4 if self._parts[0] == "apis" else 3)

    @property
    def is_custom(self) -> bool:
        """Whether its kind comes with a CRD: groups of Kubernetes itself have no dot, or end in `.k8s.io`."""
        return "." in self.group and not self.group.endswith(".k8s.io")


class ClusterClient:
    """The API of the cluster that a context of a kubeconfig leads to.

    Nothing is read or reached before the first call, so that it costs nothing where nothing is asked.
    """

    def __init__(self, context: str | None = None, kubeconfig: str | None = None, limits: Any = None) -> None:
        if context is None and not kubeconfig:
            raise ValueError("Name a context: the one that happens to be current is never used.")
        self.context = context
        """Name of the context. None: the current one of the kubeconfig that is given."""
        self.kubeconfig = kubeconfig
        """Path of the kubeconfig, or its content. None: what `$KUBECONFIG` says, else `~/.kube/config`."""
        self._limits = limits
        self._uid: str | None = None
        self._opening = Lock()

    @property
    def kubectl(self) -> str:
        """How a message begins a command for this cluster."""
        return f"kubectl --context {self.context}" if self.context else "kubectl"

    @property
    def provider_arguments(self) -> dict[str, Any]:
        """Arguments with which `pulumi_kubernetes.Provider` reaches the same cluster, by the same kubeconfig.

        Without a kubeconfig it is given an empty one: the provider reads `$KUBECONFIG` and `~/.kube/config` itself
        then, as a list, with paths that start at their file. Given none, the SDK would hand it the text of
        `$KUBECONFIG` as one path (pulumi-kubernetes 4.34.2, provider.py; provider@v4.25.0, pkg/provider/provider.go).
        """
        return {"kubeconfig": self.kubeconfig or "", "context": self.context}

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        dry_run: bool = False,
        query: Mapping[str, str] | None = None,
    ) -> Response:
        """One call. Raises ClusterReadError when the API server was not reached, or what came is not an answer of
        one."""
        from .transport import Request, TransportError

        headers = {"Accept": "application/json", "User-Agent": "training-platform"}
        content = None
        if body is not None:
            content = json.dumps(body).encode()
            headers["Content-Type"] = MERGE_PATCH if method == "PATCH" else "application/json"
        asked = {**(query or {}), **({"fieldManager": "training-platform", "dryRun": "All"} if dry_run else {})}
        try:
            with self._opening:
                transport = self._transport
            reply = transport.request(Request(method, path, asked, headers, content))
        except KubeconfigError as error:
            raise ClusterReadError(
                f"the kubeconfig does not lead to a cluster: {error} {error.fix}".rstrip(".")
            ) from None
        except TransportError as error:
            raise ClusterReadError(f"{transport.where} {error}") from None
        return _answer(method, _Path(path), reply.status, _parsed(reply.body))

    def get(self, path: str) -> Mapping[str, Any] | None:
        """An object, or None where the API server says that there is none. Raises ClusterReadError when it is not
        known."""
        answer, at = self.call("GET", path), _Path(path)
        if answer.ok:
            if at.text != "/version" and answer.body["metadata"].get("name") != at.name:
                raise ClusterReadError(f"{path} cannot be read: an object of another name came back")
            return answer.body
        if answer.status == NOT_FOUND and (_is_absent(answer, at) or self._has_no_crd(at)):
            return None
        raise ClusterReadError(f"{path} cannot be read: {answer.message}")

    def items(self, path: str) -> list[Mapping[str, Any]]:
        """The objects of a list, of every page; none where the cluster has no CRD of their kind. Raises
        ClusterReadError likewise."""
        with deadline(LIST_TIMEOUT):
            for _ in range(2):
                found = self._pages(path)
                if found is not None:
                    return found
        raise ClusterReadError(f"{path} cannot be read: the list changed too fast, and its pages expired")

    def discovery(self, path: str) -> Mapping[str, Any]:
        """What the API server has: its groups (`/apis`), or the kinds of a version (`/apis/apps/v1`). Raises
        ClusterReadError."""
        answer = self.call("GET", path)
        if not answer.ok:
            raise ClusterReadError(f"{path} cannot be read: {answer.message}")
        return answer.body

    def delete(self, path: str, *, uid: str, resource_version: str) -> Response:
        """Deletes an object if it is still the one with that uid, as it was at that version; 409 where it is not. An
        object that is gone is a 404. Raises ClusterReadError when it is not known whether it was deleted."""
        preconditions = {"uid": uid, "resourceVersion": resource_version}
        options = {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": preconditions}
        answer, at = self.call("DELETE", path, options), _Path(path)
        if answer.status == NOT_FOUND and not _is_absent(answer, at) and not self._has_no_crd(at):
            raise ClusterReadError(f"{path} cannot be deleted: {answer.message}")
        return answer

    def uid(self) -> str:
        """What tells the cluster from every other: the uid of its namespace kube-system, asked once. Raises
        ClusterReadError."""
        if self._uid is None:
            namespace = self.get("/api/v1/namespaces/kube-system")
            uid = namespace["metadata"].get("uid") if namespace else None
            if not isinstance(uid, str) or not uid:
                raise ClusterReadError("the namespace kube-system has no uid that can be read")
            self._uid = uid
        return self._uid

    def _pages(self, path: str) -> list[Mapping[str, Any]] | None:
        """All objects of a list. None: a page has expired, and the list is to be read from its beginning."""
        found: list[Mapping[str, Any]] = []
        at, query, seen = _Path(path), {"limit": str(PAGE_ITEMS)}, set[str]()
        while True:
            answer = self.call("GET", path, query=query)
            if answer.status == EXPIRED and seen:
                return None
            if answer.status == NOT_FOUND and not seen and self._has_no_crd(at):
                return []
            if not answer.ok:
                raise ClusterReadError(f"{path} cannot be read: {answer.message}")
            found += answer.body["items"]
            token = answer.body["metadata"].get("continue") or ""
            if not token:
                return found
            if not isinstance(token, str) or token in seen:
                raise ClusterReadError(f"{path} cannot be read: its pages do not end")
            seen.add(token)
            query = {"limit": str(PAGE_ITEMS), "continue": token}

    def _has_no_crd(self, at: _Path) -> bool:
        """Whether a path does not exist since its CRD is not in the cluster. A CRD that is there may serve other
        versions now: then nothing is known of its objects. Raises ClusterReadError."""
        if not at.is_custom:
            return False
        name = f"{at.plural}.{at.group}"
        crd = self.get(f"{CRDS}/{name}")
        if crd is None:
            return True
        versions = (crd.get("spec") or {}).get("versions") or ()
        served = [str(each.get("name")) for each in versions if each.get("served")]
        raise ClusterReadError(
            f"{at.text} cannot be read: the API server answers 404, though its CRD `{name}` is there and serves "
            f"{', '.join(served) or 'no version'}"
        )

    @cached_property
    def _transport(self) -> Any:
        """One for all calls and threads, whose connections stay open."""
        # A third of a second, and only where something is asked.
        from .transport import Limits, Transport

        return Transport(read_context(self.context, self.kubeconfig), self._limits or Limits())


def _parsed(content: bytes) -> Any:
    """An answer's JSON. None: it is something else."""
    try:
        return json.loads(content, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None


def _refuse_constant(_: str) -> None:
    raise ValueError


def _answer(method: str, at: _Path, status: int, body: Any) -> Response:
    """The answer of an API server. Raises ClusterReadError when it is not one."""
    kind = body.get("kind") if isinstance(body, Mapping) else None
    if 200 <= status <= 299:
        if why := _what_is_odd(method, at, body):
            raise ClusterReadError(f"{at.text} cannot be read: HTTP status {status} came with {why}")
        return Response(status, body)
    if not 400 <= status <= 599:
        raise ClusterReadError(f"{at.text} cannot be read: HTTP status {status} is not an answer of an API server")
    return Response(status, body if kind == "Status" and body.get("apiVersion") == "v1" else {})


def _what_is_odd(method: str, at: _Path, body: Any) -> str | None:
    """What is wrong with the body of an answer that says yes, if anything."""
    if not isinstance(body, Mapping):
        return "something else than an object"
    if at.is_discovery:
        return None if _is_discovery(body, at) else "something else than what an API server has"
    kind, version = body.get("kind"), body.get("apiVersion")
    if not isinstance(kind, str) or not isinstance(version, str):
        return "an object without `kind` and `apiVersion`"
    if method == "DELETE" and kind == "Status":
        return None if body.get("status") == "Success" else "a Status that is not of success"
    if kind in ("Status", "Table") or version != at.api_version or not isinstance(body.get("metadata"), Mapping):
        return f"an object of another kind, {kind[:100]} of {version[:100]}"
    is_list = kind.endswith("List")
    if method == "GET" and not at.name:
        is_sound = is_list and kind != "List" and _is_list(body.get("items"))
    else:
        is_sound = not is_list
    return None if is_sound else "something else than an object or a list, whichever was asked for"


def _is_discovery(body: Mapping[str, Any], at: _Path) -> bool:
    if at.text == "/version":
        return isinstance(body.get("gitVersion"), str)
    if at.text == "/apis":
        return body.get("kind") == "APIGroupList" and _are_mappings(body.get("groups"))
    # That of the core group has no `apiVersion`.
    is_of_version = body.get("kind") == "APIResourceList" and body.get("groupVersion") == at.api_version
    return is_of_version and _are_mappings(body.get("resources"))


def _are_mappings(things: Any) -> bool:
    return isinstance(things, list) and all(isinstance(each, Mapping) for each in things)


def _is_list(items: Any) -> bool:
    return isinstance(items, list) and all(map(_is_named, items))


def _is_named(thing: Any) -> bool:
    metadata = thing.get("metadata") if isinstance(thing, Mapping) else None
    return isinstance(metadata, Mapping) and isinstance(metadata.get("name"), str)


def _is_absent(answer: Response, at: _Path) -> bool:
    """Whether a 404 is the API server's own word that an object of this kind and name is not there."""
    details = answer.body.get("details")
    return (
        answer.body.get("reason") == "NotFound"
        and isinstance(details, Mapping)
        and details.get("name") == at.name
        and details.get("kind") in (None, at.plural)
        and details.get("group", "") == at.group
    )
