"""A client of the Kubernetes API for checks that no Pulumi resource makes: webhooks, existing objects, active work.

A response counts only if it is the API server's own: of the requested kind, and with every page of a list. Anything
else raises ClusterReadError, and whoever guards something keeps it closed.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from threading import Lock
from typing import Any

from ..validation.printable import printable
from .deadline import deadline
from .kubeconfig import KubeconfigError, read_context

LIST_TIMEOUT = 120.0
"""Seconds for all pages of a list."""

PAGE_ITEMS = 500
"""Objects in one page."""

MERGE_PATCH = "application/merge-patch+json"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
NOT_FOUND, EXPIRED = 404, 410

MAX_MESSAGE = 1000
"""Characters of an API server's message that are shown."""


class ClusterReadError(Exception):
    """The API server could not be reached, or did not answer what was asked. The message says why."""

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


@dataclass(frozen=True)
class Response:
    """The API server's response to one request."""

    status: int
    """HTTP status."""

    body: Mapping[str, Any]
    """The object, or the Status of an error. Empty if an error has no Status: it is not from an API server then, or the
    path does not exist."""

    @property
    def ok(self) -> bool:
        """Whether the request succeeded."""
        return 200 <= self.status <= 299

    @property
    def message(self) -> str:
        """Why it failed, in one printable line. Webhooks and policies write this text."""
        return printable(self.body.get("message") or f"HTTP status {self.status}", MAX_MESSAGE)


@dataclass(frozen=True)
class _Path:
    """A path of the API, taken apart."""

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
        """The parts after the version, without the namespace."""
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
        """Whether it is a path of discovery: the groups of the API, or the kinds of a version."""
        return len(self._parts) < (4 if self._parts[0] == "apis" else 3)

    @property
    def is_custom(self) -> bool:
        """Whether its kind comes from a CRD: groups of Kubernetes itself have no dot or end in `.k8s.io`."""
        return "." in self.group and not self.group.endswith(".k8s.io")


class ClusterClient:
    """A client of the cluster that a context of a kubeconfig refers to.

    Nothing is read or connected before the first request, so an unused client costs nothing.
    """

    def __init__(self, context: str | None = None, kubeconfig: str | None = None, limits: Any = None) -> None:
        if context is None and not kubeconfig:
            raise ValueError("Set `context`: the current context of the machine's kubeconfig is never used.")
        self.context = context
        """Name of the context. None: the current one of the kubeconfig that is given."""
        self.kubeconfig = kubeconfig
        """Path of the kubeconfig, or its content. None: what `$KUBECONFIG` says, else `~/.kube/config`."""
        self._limits = limits
        self._uid: str | None = None
        self._opening = Lock()

    @property
    def kubectl(self) -> str:
        """The beginning of a kubectl command for this cluster, for messages."""
        return f"kubectl --context {self.context}" if self.context else "kubectl"

    @property
    def provider_arguments(self) -> dict[str, Any]:
        """Arguments with which `pulumi_kubernetes.Provider` uses the same cluster and kubeconfig.

        Without a kubeconfig the provider gets an empty one: it then reads `$KUBECONFIG` and `~/.kube/config` itself, as
        a list, with paths relative to their file. If it were not set, the SDK would pass the text of `$KUBECONFIG` as
        one path (pulumi-kubernetes 4.34.2, provider.py; provider@v4.25.0, pkg/provider/provider.go).
        """
        return {"kubeconfig": self.kubeconfig or "", "context": self.context}

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        dry_run: bool = False,
        query: Mapping[str, str] | None = None,
    ) -> Response:
        """Send one request. Raises ClusterReadError if the API server could not be reached or the response is not from
        one."""
        headers = {"Accept": "application/json", "User-Agent": "training-platform"}
        content = None
        if body is not None:
            content = json.dumps(body).encode()
            headers["Content-Type"] = MERGE_PATCH if method == "PATCH" else "application/json"
        asked = {**(query or {}), **({"fieldManager": "training-platform", "dryRun": "All"} if dry_run else {})}
        status, reply = self._reply(method, path, asked, headers, content)
        return _answer(method, _Path(path), status, _parsed(reply))

    def read_log(self, path: str, query: Mapping[str, str]) -> str | None:
        """The log of a container, at the path `.../pods/<name>/log`. None: the kubelet has none, because the container
        has not started, its pod is gone, or its node is simulated. Raises ClusterReadError if the API server could not
        be reached."""
        status, reply = self._reply("GET", path, query, {"Accept": "*/*", "User-Agent": "training-platform"}, None)
        return reply.decode(errors="replace") if status == HTTPStatus.OK else None

    def _reply(
        self, method: str, path: str, query: Mapping[str, str], headers: Mapping[str, str], content: bytes | None
    ) -> tuple[int, bytes]:
        """Status and body of the response to one request. Raises ClusterReadError if there is none."""
        from .transport import Request, TransportError

        try:
            with self._opening:
                transport = self._transport
            reply = transport.request(Request(method, path, query, headers, content))
        except KubeconfigError as error:
            raise ClusterReadError(
                f"the kubeconfig does not lead to a cluster: {error} {error.fix}".rstrip(".")
            ) from None
        except TransportError as error:
            raise ClusterReadError(f"{transport.where} {error}") from None
        return reply.status, reply.body

    def get(self, path: str) -> Mapping[str, Any] | None:
        """An object, or None if the API server says that it does not exist. Raises ClusterReadError if that is
        unknown."""
        answer, at = self.request("GET", path), _Path(path)
        if answer.ok:
            if at.text != "/version" and answer.body["metadata"].get("name") != at.name:
                raise ClusterReadError(f"{path} cannot be read: an object of another name came back")
            return answer.body
        if answer.status == NOT_FOUND and (_is_absent(answer, at) or self._has_no_crd(at)):
            return None
        raise ClusterReadError(f"{path} cannot be read: {answer.message}")

    def list_objects(self, path: str, selectors: Mapping[str, str] | None = None) -> list[Mapping[str, Any]]:
        """All objects of a list, or those that the API's `selectors` choose: `labelSelector`, `fieldSelector`. Empty if
        the cluster has no CRD of their kind. Raises ClusterReadError."""
        with deadline(LIST_TIMEOUT):
            for _ in range(2):
                found = self._pages(path, selectors or {})
                if found is not None:
                    return found
        raise ClusterReadError(f"{path} cannot be read: its pages expired, because the list changed too fast")

    def discovery(self, path: str) -> Mapping[str, Any]:
        """The API's groups (`/apis`) or the kinds of a version (`/apis/apps/v1`). Raises ClusterReadError."""
        answer = self.request("GET", path)
        if not answer.ok:
            raise ClusterReadError(f"{path} cannot be read: {answer.message}")
        return answer.body

    def delete(self, path: str, *, uid: str, resource_version: str) -> Response:
        """Delete an object if it still has this uid and version; the status is 409 otherwise, and 404 if it is gone.
        Raises ClusterReadError if it is unknown whether it was deleted."""
        preconditions = {"uid": uid, "resourceVersion": resource_version}
        options = {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": preconditions}
        answer, at = self.request("DELETE", path, options), _Path(path)
        if answer.status == NOT_FOUND and not _is_absent(answer, at) and not self._has_no_crd(at):
            raise ClusterReadError(f"{path} cannot be deleted: {answer.message}")
        return answer

    def uid(self) -> str:
        """The cluster's id: the uid of its namespace kube-system, read once. Raises ClusterReadError."""
        if self._uid is None:
            namespace = self.get("/api/v1/namespaces/kube-system")
            uid = namespace["metadata"].get("uid") if namespace else None
            if not isinstance(uid, str) or not uid:
                raise ClusterReadError("namespace kube-system has no readable uid")
            self._uid = uid
        return self._uid

    def _pages(self, path: str, selectors: Mapping[str, str]) -> list[Mapping[str, Any]] | None:
        """All objects of a list. None: a page has expired, and the list must be read again from its beginning."""
        found: list[Mapping[str, Any]] = []
        at, query, seen = _Path(path), {"limit": str(PAGE_ITEMS), **selectors}, set[str]()
        while True:
            answer = self.request("GET", path, query=query)
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
            query = {"limit": str(PAGE_ITEMS), "continue": token, **selectors}

    def _has_no_crd(self, at: _Path) -> bool:
        """Whether a path does not exist because its CRD is not in the cluster. Raises ClusterReadError if the CRD
        exists and serves other versions, because nothing is known of its objects then."""
        if not at.is_custom:
            return False
        name = f"{at.plural}.{at.group}"
        crd = self.get(f"{CRDS}/{name}")
        if crd is None:
            return True
        versions = (crd.get("spec") or {}).get("versions") or ()
        served = [str(each.get("name")) for each in versions if each.get("served")]
        raise ClusterReadError(
            f"{at.text} cannot be read: the API server answers 404, although CRD `{name}` exists and serves "
            f"{', '.join(served) or 'no version'}"
        )

    @cached_property
    def _transport(self) -> Any:
        """One transport for all requests and threads. It keeps connections open."""
        # The import takes a third of a second, so only when a request is made.
        from .transport import Limits, Transport

        return Transport(read_context(self.context, self.kubeconfig), self._limits or Limits())


def _parsed(content: bytes) -> Any:
    """A body as JSON, or None if it is not JSON."""
    try:
        return json.loads(content, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None


def _refuse_constant(_: str) -> None:
    raise ValueError


def _answer(method: str, at: _Path, status: int, body: Any) -> Response:
    """The response of an API server. Raises ClusterReadError if it is not from one."""
    kind = body.get("kind") if isinstance(body, Mapping) else None
    if 200 <= status <= 299:
        if why := _what_is_odd(method, at, body):
            raise ClusterReadError(f"{at.text} cannot be read: HTTP status {status} came with {why}")
        return Response(status, body)
    if not 400 <= status <= 599:
        raise ClusterReadError(f"{at.text} cannot be read: HTTP status {status} is not an answer of an API server")
    return Response(status, body if kind == "Status" and body.get("apiVersion") == "v1" else {})


def _what_is_odd(method: str, at: _Path, body: Any) -> str | None:
    """What is wrong with the body of a successful response, or None."""
    if not isinstance(body, Mapping):
        return "a body that is not an object"
    if at.is_discovery:
        return None if _is_discovery(body, at) else "a body that is not a discovery document"
    kind, version = body.get("kind"), body.get("apiVersion")
    if not isinstance(kind, str) or not isinstance(version, str):
        return "an object without `kind` and `apiVersion`"
    if method == "DELETE" and kind == "Status":
        return None if body.get("status") == "Success" else "a Status other than Success"
    if kind in ("Status", "Table") or version != at.api_version or not isinstance(body.get("metadata"), Mapping):
        return f"an object of an unexpected kind, {kind[:100]} of {version[:100]}"
    is_list = kind.endswith("List")
    if method == "GET" and not at.name:
        is_sound = is_list and kind != "List" and _are_all(_is_named, body.get("items"))
    else:
        is_sound = not is_list
    return None if is_sound else "an object instead of a list, or a list instead of an object"


def _is_discovery(body: Mapping[str, Any], at: _Path) -> bool:
    if at.text == "/version":
        return isinstance(body.get("gitVersion"), str)
    if at.text == "/apis":
        return body.get("kind") == "APIGroupList" and _are_all(_is_group, body.get("groups"))
    # That of the core group has no `apiVersion`.
    is_of_version = body.get("kind") == "APIResourceList" and body.get("groupVersion") == at.api_version
    return is_of_version and _are_all(_is_resource, body.get("resources"))


def _are_all(is_sound: Callable[[Any], bool], things: Any) -> bool:
    return isinstance(things, list) and all(map(is_sound, things))


def _is_group(thing: Any) -> bool:
    return (
        isinstance(thing, Mapping)
        and _is_version(thing.get("preferredVersion"))
        and _are_all(_is_version, thing.get("versions"))
    )


def _is_version(thing: Any) -> bool:
    return isinstance(thing, Mapping) and isinstance(thing.get("groupVersion"), str)


def _is_resource(thing: Any) -> bool:
    return (
        isinstance(thing, Mapping)
        and isinstance(thing.get("kind"), str)
        and isinstance(thing.get("name"), str)
        and isinstance(thing.get("namespaced"), bool)
        and isinstance(thing.get("verbs") or [], list)
    )


def _is_named(thing: Any) -> bool:
    metadata = thing.get("metadata") if isinstance(thing, Mapping) else None
    return isinstance(metadata, Mapping) and isinstance(metadata.get("name"), str)


def _is_absent(answer: Response, at: _Path) -> bool:
    """Whether a 404 is the API server's own statement that this object does not exist."""
    details = answer.body.get("details")
    return (
        answer.body.get("reason") == "NotFound"
        and isinstance(details, Mapping)
        and details.get("name") == at.name
        and details.get("kind") in (None, at.plural)
        and details.get("group", "") == at.group
    )
