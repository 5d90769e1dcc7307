"""Reads kubeconfigs as client-go does: the API server and user of a context.

This is the only reader, for everything that calls the cluster. Entries that client-go supports and this project does
not are rejected by name. No message contains a value of a kubeconfig, because any value may be a misplaced secret; only
names of contexts are shown. Facts: k8s.io/client-go@v0.35.0, tools/clientcmd.
"""

import base64
import binascii
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import SplitResult, urlsplit

from ..k8s.yaml_documents import YamlError, read_documents

MAX_KUBECONFIG_BYTES = 4 * 1024 * 1024
"""Maximum size in bytes of a kubeconfig, and of each file that it refers to."""

EXEC_API_VERSIONS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
"""API versions of exec plugins (plugin/pkg/client/auth/exec/exec.go)."""

EXEC_EXTENSION = "client.authentication.k8s.io/exec"
"""Name of a cluster's extension that exec plugins get (tools/clientcmd/client_config.go)."""

OTHER_PATH = "Set the path of a kubeconfig. A relative path starts at the project's folder."

GIVEN = "the given kubeconfig"
"""Name in messages of a kubeconfig that is not a file."""


T = TypeVar("T")


class KubeconfigError(Exception):
    """A kubeconfig does not lead to an API server."""

    def __init__(self, message: str, fix: str, key: str = "kubeconfig") -> None:
        super().__init__(message)
        self.fix = fix
        """What to do about it."""
        self.key = key
        """What it is about: `kubeconfig`, or the `context`."""


@dataclass(frozen=True)
class Cluster:
    """An API server and how it is verified."""

    server: str
    """Its URL, without a slash at the end and without a user name or password. It may have a path."""

    tls_server_name: str
    """Host name that its certificate must have. Empty: the URL's."""

    insecure: bool
    """Whether its certificate is not verified."""

    ca_file: str
    """Path of the CA certificates. Empty: none."""

    ca_data: bytes
    """The CA certificates. If both are empty, the system's are used."""

    proxy_url: str = field(repr=False)
    """URL of the proxy, which may contain a password. Empty: the environment's."""

    exec_config: Any = field(repr=False)
    """What an exec plugin is told about the cluster, if the user requests that."""


@dataclass(frozen=True)
class ExecPlugin:
    """A program that prints credentials."""

    api_version: str
    """Version of the API between client and plugin."""

    command: str
    """Name on PATH, or path."""

    args: tuple[str, ...] = field(repr=False)
    """Arguments."""

    env: Mapping[str, str] = field(repr=False)
    """Environment variables, in addition to those of this process."""

    cluster_info: bool
    """Whether it is told about the cluster."""


@dataclass(frozen=True, repr=False)
class User:
    """The user of a context. It has no `repr`, because nearly all of it is secret."""

    token: str
    token_file: str
    username: str
    password: str
    certificate_file: str
    certificate_data: bytes
    key_file: str
    key_data: bytes
    exec_plugin: ExecPlugin | None
    impersonate: str
    impersonate_uid: str
    impersonate_groups: tuple[str, ...]
    impersonate_extra: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Context:
    """A context of a kubeconfig."""

    name: str
    """Its name."""

    source: str
    """The files that were read, for messages."""

    cluster: Cluster
    """Its cluster."""

    user: User
    """Its user."""


def read_context(context: str | None, kubeconfig: str | None) -> Context:
    """A context of a kubeconfig. Raises KubeconfigError.

    `kubeconfig` is a path or the content. Without it, `$KUBECONFIG`, a list of paths, or `~/.kube/config` is read.
    Without `context`, the current context of the given `kubeconfig` is used. The current context of the machine's own
    kubeconfig is never used.
    """
    if context is None and not kubeconfig:
        raise KubeconfigError("No context is set.", "Set a context of the kubeconfig.", "context")
    files = [_File.given(kubeconfig)] if kubeconfig else _files_of_environment()
    source = ", ".join(file.name for file in files)
    contexts = _first(file.entries("context") for file in files)
    name = context or next(filter(None, (file.top.text("current-context") for file in files)), "")
    if name not in contexts:
        raise _unknown_context(context, contexts, source)
    there = contexts[name]
    clusters, users = (_first(file.entries(kind) for file in files) for kind in ("cluster", "user"))
    cluster, user = there.text("cluster"), there.text("user")
    if cluster not in clusters:
        message = f"Context `{name}` in {source} has no cluster with a `server`."
        raise KubeconfigError(message, "Complete the kubeconfig, or set another context.", "context")
    if user and user not in users:
        message = f"Context `{name}` in {source} has a user that does not exist."
        raise KubeconfigError(message, "Add the user to the kubeconfig, or set another context.", "context")
    found = _cluster(clusters[cluster], name, source)
    return Context(name, source, found, _user(users[user] if user else there.empty()))


def read_file(path: str, what: str, fix: str = "Set the path of an existing file.") -> bytes:
    """The content of a file that a kubeconfig refers to, up to `MAX_KUBECONFIG_BYTES`. Raises KubeconfigError.

    A pipe is opened without waiting for its writer.
    """
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            content = file.read(MAX_KUBECONFIG_BYTES + 1) or b""
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "the path contains a NUL byte"
        raise KubeconfigError(f"{what} cannot be read: {reason}.", fix) from None
    if len(content) > MAX_KUBECONFIG_BYTES:
        message = f"{what} is larger than {MAX_KUBECONFIG_BYTES // 1024**2} MiB."
        raise KubeconfigError(message, fix)
    return content


TYPES = {
    "context": {"cluster": "text", "user": "text", "namespace": "text"},
    "cluster": {
        "server": "text",
        "tls-server-name": "text",
        "insecure-skip-tls-verify": "flag",
        "certificate-authority": "text",
        "certificate-authority-data": "data",
        "proxy-url": "text",
        "disable-compression": "flag",
        "extensions": "entries",
    },
    "user": {
        "client-certificate": "text",
        "client-certificate-data": "data",
        "client-key": "text",
        "client-key-data": "data",
        "token": "text",
        "tokenFile": "text",
        "username": "text",
        "password": "text",
        "as": "text",
        "as-uid": "text",
        "as-groups": "texts",
        "as-user-extra": "entry",
        "auth-provider": "entry",
        "exec": "entry",
    },
}
"""Types of an entry's values, by the method of `_Entry` that reads them."""


class _Entry:
    """A mapping of a kubeconfig, with typed access to its values. Messages name the path, never the value."""

    def __init__(self, values: object, place: str, file: "_File") -> None:
        if not isinstance(values, Mapping):
            raise file.mistake(place, values, "a mapping")
        self._values, self.place, self._file = values, place, file

    def empty(self) -> "_Entry":
        """An empty mapping."""
        return _Entry({}, "", self._file)

    def at(self, key: str) -> str:
        """The path of one of its values, with the file."""
        return f"`{self._place(key)}` in {self._file.name}"

    def has(self, key: str) -> bool:
        """Whether the key has a value."""
        return self._values.get(key) is not None

    def text(self, key: str) -> str:
        """A string, empty by default."""
        return self._typed(key, str, "a string", "")

    def flag(self, key: str) -> bool:
        """A boolean, false by default."""
        return self._typed(key, bool, "true or false, without quotes", False)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings."""
        return tuple(_text(each, f"{self._place(key)}[{at}]", self._file) for at, each in enumerate(self.elements(key)))

    def elements(self, key: str) -> list[Any]:
        """A list, empty by default."""
        return self._typed(key, list, "a list", [])

    def entry(self, key: str) -> "_Entry":
        """A mapping, empty by default."""
        values = self._values.get(key)
        return _Entry({} if values is None else values, self._place(key), self._file)

    def entries(self, key: str) -> "list[_Entry]":
        """A list of mappings."""
        return [_Entry(each, f"{self._place(key)}[{at}]", self._file) for at, each in enumerate(self.elements(key))]

    def names(self) -> list[str]:
        """Its keys."""
        return [_text(key, self.place, self._file) for key in self._values]

    def value(self, key: str) -> Any:
        """The value, of any type."""
        return self._values.get(key)

    def data(self, key: str) -> bytes:
        """A base64 value, decoded."""
        try:
            return base64.b64decode("".join(self.text(key).split()), validate=True)
        except (binascii.Error, ValueError):
            raise self.refusal(key, "is not base64", "Encode the content of the file as base64") from None

    def path(self, key: str) -> str:
        """An absolute path. Relative paths start at the kubeconfig's folder."""
        path = self.text(key)
        return self._file.resolved(path, self.at(key)) if path else ""

    def check_types(self, types: Mapping[str, str]) -> None:
        """Check the types of its values. client-go reads a file as a whole, whichever entries are used."""
        for key, kind in types.items():
            getattr(self, kind)(key)

    def refusal(self, key: str, why: str, fix: str) -> KubeconfigError:
        """The error about one of its values."""
        return KubeconfigError(f"{self.at(key)} {why}.", f"{fix}.")

    def _place(self, key: str) -> str:
        return f"{self.place}.{key}" if self.place else key

    def _typed(self, key: str, kind: type[T], described: str, absent: T) -> T:
        value = self._values.get(key)
        if value is None:
            return absent
        if not isinstance(value, kind):
            raise self._file.mistake(self._place(key), value, described)
        return value


@dataclass(frozen=True, repr=False)
class _File:
    """One kubeconfig."""

    name: str
    """Its name in messages."""

    folder: Path | None
    """Folder at which its relative paths start. None: they cannot be resolved."""

    is_given: bool
    """Whether Pulumi's provider gets it as an argument, instead of from the environment."""

    values: Any
    """Its content."""

    @classmethod
    def given(cls, kubeconfig: str) -> Self:
        """The kubeconfig of a path or with a content. If a file of this name exists it is a path, as for Pulumi's
        provider (pulumi-kubernetes@v4.25.0, provider/pkg/provider/util.go, parseKubeconfigString)."""
        home = kubeconfig == "~" or kubeconfig.startswith("~/")
        path = Path(kubeconfig).expanduser() if home else Path(kubeconfig)
        try:
            exists = path.exists()
        except (OSError, ValueError):
            exists = False
        if not exists and ("\n" in kubeconfig or kubeconfig.lstrip().startswith("{")):
            return cls(GIVEN, None, True, _parsed(kubeconfig.encode(errors="replace"), GIVEN))
        return cls.read(kubeconfig, path, True)

    @classmethod
    def read(cls, name: str, path: Path, is_given: bool) -> Self:
        """The kubeconfig at a path."""
        return cls(name, path.absolute().parent, is_given, _parsed(read_file(str(path), name, OTHER_PATH), name))

    @property
    def top(self) -> _Entry:
        """The whole content, as an entry."""
        top = _Entry(self.values, "", self)
        if top.text("kind") not in ("", "Config") or top.text("apiVersion") not in ("", "v1"):
            fix = "Set the path of a file with `apiVersion: v1` and `kind: Config`."
            raise KubeconfigError(f"{self.name} is not a kubeconfig: it has another `kind` or `apiVersion`.", fix)
        return top

    def entries(self, kind: str) -> dict[str, _Entry]:
        """Its contexts, clusters or users, by name."""
        found: dict[str, _Entry] = {}
        for index, each in enumerate(self.top.elements(f"{kind}s")):
            entry = _Entry(each, f"{kind}s[{index}]", self)
            name = _text(entry.value("name"), f"{entry.place}.name", self)
            if name in found:
                raise entry.refusal("name", "is a duplicate", "Rename one of the entries")
            found[name] = entry.entry(kind)
            found[name].check_types(TYPES[kind])
        return found

    def resolved(self, path: str, at: str) -> str:
        """The absolute form of a path in the kubeconfig."""
        if Path(path).is_absolute():
            return path
        if self.folder is None:
            fix = "Use the key that ends in `-data` with the content itself, or an absolute path."
            raise KubeconfigError(f"{at} is a relative path, but the kubeconfig is not a file.", fix)
        found = self.folder / path
        # Pulumi's provider gets only the content of the file: it resolves relative paths at its working folder.
        if self.is_given and os.path.normpath(found) != os.path.normpath(Path.cwd() / path):
            message = (
                f"{at} is a relative path, which kubectl resolves at the kubeconfig's folder, but Pulumi's provider at "
                "the project's."
            )
            fix = f"Use an absolute path, or remove `kubeconfig` and set the variable `KUBECONFIG={self.name}`."
            raise KubeconfigError(message, fix)
        return str(found)

    def mistake(self, place: str, value: object, described: str) -> KubeconfigError:
        """The error about a value of the wrong type."""
        place = f"`{place}`" if place else "its content"
        message = f"{self.name} is not a kubeconfig: {place} is {_type_of(value)}, not {described}."
        return KubeconfigError(message, f"Correct {place}, or set the path of another kubeconfig.")


def _files_of_environment() -> list[_File]:
    """The kubeconfigs of `$KUBECONFIG`, or the user's. Missing ones are skipped if at least one exists."""
    names = dict.fromkeys(filter(None, os.environ.get("KUBECONFIG", "").split(os.pathsep)))
    named = {name: Path(name) for name in names} or {"~/.kube/config": Path.home() / ".kube" / "config"}
    there = {name: path for name, path in named.items() if os.path.lexists(path)}
    if not there:
        where = ", ".join(named)
        message = f"{where} cannot be read: No such file or directory."
        raise KubeconfigError(message, OTHER_PATH)
    return [_File.read(name, path, False) for name, path in there.items()]


def _parsed(content: bytes, name: str) -> Any:
    """The content of a kubeconfig. Messages name the line of an error, never its text."""
    if len(content) > MAX_KUBECONFIG_BYTES:
        raise KubeconfigError(f"{name} is larger than {MAX_KUBECONFIG_BYTES // 1024**2} MiB.", "Use a smaller one.")
    try:
        document = next(read_documents(content.decode("utf-8-sig")), None)
    except UnicodeDecodeError:
        raise _unparsed(name, "it is not UTF-8 text") from None
    except YamlError as error:
        raise _unparsed(name, f"it is not valid YAML at line {error.line}") from None
    except Exception:
        # PyYAML does not catch what Python raises for a scalar; the error quotes the scalar.
        raise _unparsed(name, "it contains an invalid YAML value") from None
    return {} if document is None else document.content


def _unparsed(name: str, why: str) -> KubeconfigError:
    return KubeconfigError(f"{name} cannot be read: {why}.", "Correct the file, or set the path of another one.")


def _first(entries: Iterable[Mapping[str, _Entry]]) -> dict[str, _Entry]:
    """Entries by name. If several have the same name, the first one applies as a whole."""
    found: dict[str, _Entry] = {}
    for each in entries:
        found = {**each, **found}
    return found


def _unknown_context(name: str | None, contexts: Iterable[str], source: str) -> KubeconfigError:
    known = f"Known contexts: {', '.join(f'`{each}`' for each in contexts) or 'none'}."
    if name is None:
        return KubeconfigError(
            f"{source} has no `current-context`, or it does not exist.", f"Set a context. {known}", "context"
        )
    nearest = get_close_matches(name, contexts, n=1)
    guess = f"Did you mean `{nearest[0]}`? " if nearest else ""
    return KubeconfigError(f"{source} has no context `{name}`.", f"{guess}{known}", "context")


DATA = "certificate-authority-data"
PAIR = ("certificate", "key")


def _cluster(entry: _Entry, context: str, source: str) -> Cluster:
    server, proxy = entry.text("server"), entry.text("proxy-url")
    extensions = [each for each in entry.entries("extensions") if each.value("name") == EXEC_EXTENSION]
    if not server:
        message = f"Context `{context}` in {source} has no cluster with a `server`."
        raise KubeconfigError(message, "Complete the kubeconfig, or set another context.", "context")
    url = split_url(server)
    if url is None or url.scheme not in ("http", "https"):
        # client-go reads a URL without a scheme as HTTP without TLS, and sends no credentials.
        fix = "Write `https://`, a host and a port from 1 to 65535, or set another context"
        raise entry.refusal("server", "is not the URL of an API server", fix)
    if url.username is not None or url.password is not None:
        raise entry.refusal("server", "contains a user name or password", "Move them to the user of the context")
    if entry.text("certificate-authority") and entry.text(DATA):
        raise entry.refusal(
            "certificate-authority", "conflicts with `certificate-authority-data`", "Remove one of them"
        )
    insecure = entry.flag("insecure-skip-tls-verify")
    if insecure and (entry.text("certificate-authority") or entry.text(DATA)):
        fix = "Remove it or the CA certificates"
        raise entry.refusal("insecure-skip-tls-verify", "conflicts with the CA certificates", fix)
    if proxy:
        check_proxy(proxy, entry.at("proxy-url"))
    return Cluster(
        # As client-go, which rejects a query.
        server=f"{url.scheme}://{url.netloc}{url.path.rstrip('/')}",
        tls_server_name=entry.text("tls-server-name"),
        insecure=insecure,
        ca_file=entry.path("certificate-authority"),
        ca_data=entry.data(DATA),
        proxy_url=proxy,
        exec_config=extensions[0].value("extension") if extensions else None,
    )


def split_url(text: str) -> SplitResult | None:
    """The parts of a URL with a scheme, a host and a valid port, or None."""
    try:
        url = urlsplit(text)
        sound = url.scheme and url.hostname and url.port != 0 and text.isascii() and text.isprintable()
        return url if sound and " " not in text and "\\" not in text else None
    except ValueError:
        return None


def check_proxy(proxy: str, where: str) -> None:
    """Raise KubeconfigError unless requests can be sent through this proxy; `where` is the key or variable that sets
    it."""
    url = split_url(proxy)
    if url is not None and url.scheme.startswith("socks5"):
        message = f"{where} is a SOCKS proxy; this project supports only HTTP and HTTPS proxies."
        raise KubeconfigError(message, "Set an HTTP proxy, or run a tunnel and set its address as `server`.")
    if url is None or url.scheme not in ("http", "https"):
        fix = "Write `http://` or `https://`, a host and a port."
        raise KubeconfigError(f"{where} is not the URL of an HTTP proxy.", fix)


def _user(entry: _Entry) -> User:
    if entry.has("auth-provider"):
        fix = "Use the exec plugin of the same service; client-go has removed most auth providers"
        raise entry.refusal("auth-provider", "is not supported by this project", fix)
    token, username, password = (_header(entry, key) for key in ("token", "username", "password"))
    if token and (username or password):
        raise entry.refusal("token", "conflicts with the user name or password", "Remove one of them")
    for kind in ("certificate", "key"):
        if entry.text(f"client-{kind}") and entry.text(f"client-{kind}-data"):
            raise entry.refusal(f"client-{kind}", f"conflicts with `client-{kind}-data`", "Remove one of them")
    has_certificate, has_key = (entry.text(f"client-{kind}") or entry.text(f"client-{kind}-data") for kind in PAIR)
    if has_certificate and not has_key:
        raise entry.refusal("client-certificate", "has no key", "Add `client-key` or `client-key-data`")
    extra = entry.entry("as-user-extra")
    user = User(
        token=token,
        token_file=entry.path("tokenFile"),
        username=username,
        password=password,
        certificate_file=entry.path("client-certificate"),
        certificate_data=entry.data("client-certificate-data"),
        key_file=entry.path("client-key"),
        key_data=entry.data("client-key-data"),
        exec_plugin=_exec_plugin(entry.entry("exec")) if entry.has("exec") else None,
        impersonate=_header(entry, "as"),
        impersonate_uid=_header(entry, "as-uid"),
        impersonate_groups=tuple(_headers(entry, "as-groups")),
        impersonate_extra={key: tuple(_headers(extra, key)) for key in extra.names()},
    )
    if not user.impersonate and (user.impersonate_uid or user.impersonate_groups or user.impersonate_extra):
        fix = "Set `as` to the user to impersonate"
        raise entry.refusal("as", "is required with a uid, groups or extra fields to impersonate", fix)
    return user


def _exec_plugin(entry: _Entry) -> ExecPlugin:
    command, version, mode = entry.text("command"), entry.text("apiVersion"), entry.text("interactiveMode")
    if not command:
        raise entry.refusal("command", "is required", "Set the program that prints the credentials")
    if version not in EXEC_API_VERSIONS:
        raise entry.refusal("apiVersion", "is not supported by client-go", f"Use `{EXEC_API_VERSIONS[0]}`")
    # Before v1 the default is IfAvailable (tools/clientcmd/api/v1/defaults.go).
    if mode not in ("Never", "IfAvailable") and not (version == EXEC_API_VERSIONS[1] and not mode):
        fix = "Use `Never` or `IfAvailable`, and log in before"
        raise entry.refusal("interactiveMode", "requires a terminal, which Pulumi programs do not have", fix)
    variables = entry.entries("env")
    for each in variables:
        if not each.text("name") or "=" in each.text("name") or "\0" in each.text("name") + each.text("value"):
            raise entry.refusal("env", "has a variable with an invalid name or value", "Correct it")
    if "\0" in "".join((command, *entry.texts("args"))):
        raise entry.refusal("args", "contains a NUL byte", "Remove it")
    return ExecPlugin(
        api_version=version,
        # Found on PATH, unless it is a path.
        command=entry.path("command") if "/" in command else command,
        args=entry.texts("args"),
        env={each.text("name"): each.text("value") for each in variables},
        cluster_info=entry.flag("provideClusterInfo"),
    )


def _header(entry: _Entry, key: str) -> str:
    value = entry.text(key)
    if not is_header(value):
        raise entry.refusal(key, "has characters that are invalid in an HTTP header", "Remove them")
    return value


def _headers(entry: _Entry, key: str) -> Iterable[str]:
    for value in entry.texts(key):
        if not is_header(value):
            raise entry.refusal(key, "has characters that are invalid in an HTTP header", "Remove them")
        yield value


def is_header(value: str) -> bool:
    """Whether a value is valid in an HTTP header."""
    return all(character.isprintable() for character in value) and value == value.strip()


def _text(value: object, place: str, file: _File) -> str:
    if not isinstance(value, str):
        raise file.mistake(place, value, "a string")
    return value


def _type_of(value: object) -> str:
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list", dict: "a mapping"}
    return "missing" if value is None else names.get(type(value), "something else")
