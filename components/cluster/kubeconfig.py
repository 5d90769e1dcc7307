"""Kubeconfigs, read as client-go reads them: which API server a context leads to, and as whom.

One reader for everything that asks the cluster. What client-go does with an entry and this project cannot do is refused
with its name. No message holds a value of a kubeconfig, since any may be a secret that stands in the wrong place; only
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
"""Bytes of a kubeconfig, and of each file that it names."""

EXEC_API_VERSIONS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
"""API versions of exec plugins (plugin/pkg/client/auth/exec/exec.go)."""

EXEC_EXTENSION = "client.authentication.k8s.io/exec"
"""Name of a cluster's extension that is handed to exec plugins (tools/clientcmd/client_config.go)."""

OTHER_PATH = "Write the path of a kubeconfig; a relative one starts at the project's folder."

GIVEN = "the given kubeconfig"
"""How messages name a kubeconfig that is no file."""


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
    """Where an API server is, and how it is known to be the right one."""

    server: str
    """Its URL, with a path where it has one, without a slash at the end. It holds no user name or password."""

    tls_server_name: str
    """Host name that its certificate must have. Empty: that of the URL."""

    insecure: bool
    """Whether its certificate is not looked at."""

    ca_file: str
    """Path of the certificates that its own must lead to. Empty: none is named."""

    ca_data: bytes
    """These certificates. Without both those of the system count."""

    proxy_url: str = field(repr=False)
    """The proxy on the way there; it may hold a password. Empty: what the environment says."""

    exec_config: Any = field(repr=False)
    """What an exec plugin is told about the cluster, if its user wants that."""


@dataclass(frozen=True)
class ExecPlugin:
    """A program that prints credentials."""

    api_version: str
    """Version of the API by which it is asked and answers."""

    command: str
    """Its name on PATH, or its path."""

    args: tuple[str, ...] = field(repr=False)
    """Its arguments."""

    env: Mapping[str, str] = field(repr=False)
    """Environment variables beside those of this process."""

    cluster_info: bool
    """Whether it is told about the cluster."""


@dataclass(frozen=True, repr=False)
class User:
    """As whom the API server is asked. It has no `repr`: nearly all of it is secret."""

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
    """The files that were read, as a message names them."""

    cluster: Cluster
    """Where it leads."""

    user: User
    """As whom."""


def read_context(context: str | None, kubeconfig: str | None) -> Context:
    """A context of a kubeconfig. Raises KubeconfigError.

    `kubeconfig` is a path or a content; without it `$KUBECONFIG` is read, a list of paths, or `~/.kube/config`. Without
    a context it is the current one, which takes a `kubeconfig`: the one that happens to be current on a machine is
    never used.
    """
    if context is None and not kubeconfig:
        raise KubeconfigError("No context is given.", "Name a context of the kubeconfig.", "context")
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
        message = f"The context `{name}` in {source} leads to no cluster with a `server`."
        raise KubeconfigError(message, "Complete the kubeconfig, or name another context.", "context")
    if user and user not in users:
        message = f"The context `{name}` in {source} names a user that is not there."
        raise KubeconfigError(message, "Add the user to the kubeconfig, or name another context.", "context")
    found = _cluster(clusters[cluster], name, source)
    return Context(name, source, found, _user(users[user] if user else there.nothing()))


def read_file(path: str, what: str, fix: str = "Write the path of a file that exists.") -> bytes:
    """A file that a kubeconfig names: no more than `MAX_KUBECONFIG_BYTES`. Raises KubeconfigError.

    It does not wait for whoever writes into a pipe.
    """
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            content = file.read(MAX_KUBECONFIG_BYTES + 1) or b""
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "the path holds a NUL byte"
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
    """A mapping of a kubeconfig, whose values are read by their types. Messages name the place, never the value."""

    def __init__(self, values: object, place: str, file: "_File") -> None:
        if not isinstance(values, Mapping):
            raise file.mistake(place, values, "a mapping")
        self._values, self.place, self._file = values, place, file

    def nothing(self) -> "_Entry":
        """One without any value."""
        return _Entry({}, "", self._file)

    def at(self, key: str) -> str:
        """The place of one of its values, with the file."""
        return f"`{self._place(key)}` in {self._file.name}"

    def has(self, key: str) -> bool:
        """Whether something stands there."""
        return self._values.get(key) is not None

    def text(self, key: str) -> str:
        """A string; empty when there is none."""
        return self._typed(key, str, "a string", "")

    def flag(self, key: str) -> bool:
        """A boolean; false when there is none."""
        return self._typed(key, bool, "true or false, without quotes", False)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings."""
        return tuple(_text(each, f"{self._place(key)}[{at}]", self._file) for at, each in enumerate(self.elements(key)))

    def elements(self, key: str) -> list[Any]:
        """A list; empty when there is none."""
        return self._typed(key, list, "a list", [])

    def entry(self, key: str) -> "_Entry":
        """A mapping; empty when there is none."""
        values = self._values.get(key)
        return _Entry({} if values is None else values, self._place(key), self._file)

    def entries(self, key: str) -> "list[_Entry]":
        """A list of mappings."""
        return [_Entry(each, f"{self._place(key)}[{at}]", self._file) for at, each in enumerate(self.elements(key))]

    def names(self) -> list[str]:
        """Its keys."""
        return [_text(key, self.place, self._file) for key in self._values]

    def value(self, key: str) -> Any:
        """Whatever stands there."""
        return self._values.get(key)

    def data(self, key: str) -> bytes:
        """Base64, decoded."""
        try:
            return base64.b64decode("".join(self.text(key).split()), validate=True)
        except (binascii.Error, ValueError):
            raise self.refusal(key, "is not base64", "Write the content of the file as base64, in one line") from None

    def path(self, key: str) -> str:
        """A path, absolute; a relative one starts at the kubeconfig's folder."""
        path = self.text(key)
        return self._file.resolved(path, self.at(key)) if path else ""

    def check_types(self, types: Mapping[str, str]) -> None:
        """Returns when its values have these types. client-go reads a file whole, whichever of its entries is used."""
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
    """As a message names it."""

    folder: Path | None
    """Where its relative paths start. None: they start nowhere."""

    is_given: bool
    """Whether Pulumi's provider is given it, rather than to find it in the environment."""

    values: Any
    """What is in it."""

    @classmethod
    def given(cls, kubeconfig: str) -> Self:
        """The one of a path, or of a content: what is there as a file is a path, as for Pulumi's provider
        (pulumi-kubernetes@v4.25.0, provider/pkg/provider/util.go, parseKubeconfigString)."""
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
        """The one of a path."""
        return cls(name, path.absolute().parent, is_given, _parsed(read_file(str(path), name, OTHER_PATH), name))

    @property
    def top(self) -> _Entry:
        """All of it."""
        top = _Entry(self.values, "", self)
        if top.text("kind") not in ("", "Config") or top.text("apiVersion") not in ("", "v1"):
            fix = "Write the path of a file with `apiVersion: v1` and `kind: Config`."
            raise KubeconfigError(f"{self.name} is not a kubeconfig: its `kind` or `apiVersion` is another one.", fix)
        return top

    def entries(self, kind: str) -> dict[str, _Entry]:
        """Its contexts, clusters or users, by name."""
        found: dict[str, _Entry] = {}
        for index, each in enumerate(self.top.elements(f"{kind}s")):
            entry = _Entry(each, f"{kind}s[{index}]", self)
            name = _text(entry.value("name"), f"{entry.place}.name", self)
            if name in found:
                raise entry.refusal("name", "is the name of an entry before it", "Give each entry a name of its own")
            found[name] = entry.entry(kind)
            found[name].check_types(TYPES[kind])
        return found

    def resolved(self, path: str, at: str) -> str:
        """An absolute path for one that the kubeconfig holds."""
        if Path(path).is_absolute():
            return path
        if self.folder is None:
            fix = "Write the content itself (the key that ends in `-data`), or an absolute path."
            raise KubeconfigError(f"{at} is a relative path, and no file is there that it could start from.", fix)
        found = self.folder / path
        # Pulumi's provider takes the content of the file alone: relative paths start at its working folder then.
        if self.is_given and os.path.normpath(found) != os.path.normpath(Path.cwd() / path):
            message = f"{at} is a relative path: kubectl starts it at the kubeconfig, Pulumi's provider at the project."
            fix = f"Write an absolute path there, or take `kubeconfig` out and set `KUBECONFIG={self.name}`."
            raise KubeconfigError(message, fix)
        return str(found)

    def mistake(self, place: str, value: object, described: str) -> KubeconfigError:
        """The error about a value of the wrong type."""
        place = f"`{place}`" if place else "its content"
        message = f"{self.name} is not a kubeconfig: {place} is {_type_of(value)}, not {described}."
        return KubeconfigError(message, f"Correct {place}, or write the path of another kubeconfig.")


def _files_of_environment() -> list[_File]:
    """Those of `$KUBECONFIG`, or the user's. Those that do not exist are passed over, as long as one does."""
    names = dict.fromkeys(filter(None, os.environ.get("KUBECONFIG", "").split(os.pathsep)))
    named = {name: Path(name) for name in names} or {"~/.kube/config": Path.home() / ".kube" / "config"}
    there = {name: path for name, path in named.items() if os.path.lexists(path)}
    if not there:
        where = ", ".join(named)
        message = f"{where} cannot be read: No such file or directory."
        raise KubeconfigError(message, OTHER_PATH)
    return [_File.read(name, path, False) for name, path in there.items()]


def _parsed(content: bytes, name: str) -> Any:
    """What is in a kubeconfig. Messages name a line, never what stands there."""
    if len(content) > MAX_KUBECONFIG_BYTES:
        raise KubeconfigError(f"{name} is larger than {MAX_KUBECONFIG_BYTES // 1024**2} MiB.", "Give another one.")
    try:
        document = next(read_documents(content.decode("utf-8-sig")), None)
    except UnicodeDecodeError:
        raise _unparsed(name, "it is not UTF-8 text") from None
    except YamlError as error:
        raise _unparsed(name, f"it is not valid YAML at line {error.line}") from None
    except Exception:
        # PyYAML's constructors let through whatever a scalar makes Python raise, with the scalar in it.
        raise _unparsed(name, "it holds a value that YAML does not take") from None
    return {} if document is None else document.content


def _unparsed(name: str, why: str) -> KubeconfigError:
    return KubeconfigError(f"{name} cannot be read: {why}.", "Correct the file, or write the path of another one.")


def _first(entries: Iterable[Mapping[str, _Entry]]) -> dict[str, _Entry]:
    """Entries by name; of two with one name the first counts, whole."""
    found: dict[str, _Entry] = {}
    for each in entries:
        found = {**each, **found}
    return found


def _unknown_context(name: str | None, contexts: Iterable[str], source: str) -> KubeconfigError:
    known = f"Contexts there: {', '.join(f'`{each}`' for each in contexts) or 'none'}."
    if name is None:
        return KubeconfigError(
            f"{source} has no `current-context` that is there.", f"Name a context. {known}", "context"
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
        message = f"The context `{context}` in {source} leads to no cluster with a `server`."
        raise KubeconfigError(message, "Complete the kubeconfig, or name another context.", "context")
    url = split_url(server)
    if url is None or url.scheme not in ("http", "https"):
        # client-go takes one without a scheme for HTTP without TLS, and leaves out all credentials.
        fix = "Write `https://`, a host and a port from 1 to 65535, or name another context"
        raise entry.refusal("server", "is not the URL of an API server", fix)
    if url.username is not None or url.password is not None:
        raise entry.refusal("server", "holds a user name or a password", "Write them into the user of the context")
    if entry.text("certificate-authority") and entry.text(DATA):
        raise entry.refusal(
            "certificate-authority", "stands beside `certificate-authority-data`", "Take one of them out"
        )
    insecure = entry.flag("insecure-skip-tls-verify")
    if insecure and (entry.text("certificate-authority") or entry.text(DATA)):
        fix = "Take it out, or the certificates beside it"
        raise entry.refusal("insecure-skip-tls-verify", "stands beside certificates to verify with", fix)
    if proxy:
        check_proxy(proxy, entry.at("proxy-url"))
    return Cluster(
        # As client-go, which takes the query for a mistake.
        server=f"{url.scheme}://{url.netloc}{url.path.rstrip('/')}",
        tls_server_name=entry.text("tls-server-name"),
        insecure=insecure,
        ca_file=entry.path("certificate-authority"),
        ca_data=entry.data(DATA),
        proxy_url=proxy,
        exec_config=extensions[0].value("extension") if extensions else None,
    )


def split_url(text: str) -> SplitResult | None:
    """The parts of a URL with a scheme, a host and a port that there may be. None: it is not one."""
    try:
        url = urlsplit(text)
        sound = url.scheme and url.hostname and url.port != 0 and text.isascii() and text.isprintable()
        return url if sound and " " not in text and "\\" not in text else None
    except ValueError:
        return None


def check_proxy(proxy: str, where: str) -> None:
    """Returns when requests can go through a proxy. Raises KubeconfigError; `where` is where it is named."""
    url = split_url(proxy)
    if url is not None and url.scheme.startswith("socks5"):
        message = f"{where} is a SOCKS proxy: the Kubernetes client of this project takes only HTTP and HTTPS proxies."
        raise KubeconfigError(message, "Name an HTTP proxy, or run a tunnel and write its address as `server`.")
    if url is None or url.scheme not in ("http", "https"):
        fix = "Write `http://` or `https://`, a host and a port."
        raise KubeconfigError(f"{where} is not the URL of an HTTP proxy.", fix)


def _user(entry: _Entry) -> User:
    if entry.has("auth-provider"):
        fix = "Use the exec plugin of the same service instead: client-go itself has dropped most of these"
        raise entry.refusal("auth-provider", "is a way to log in that this project does not have", fix)
    token, username, password = (_header(entry, key) for key in ("token", "username", "password"))
    if token and (username or password):
        raise entry.refusal("token", "stands beside a user name or password", "Take one of them out")
    for kind in ("certificate", "key"):
        if entry.text(f"client-{kind}") and entry.text(f"client-{kind}-data"):
            raise entry.refusal(f"client-{kind}", f"stands beside `client-{kind}-data`", "Take one of them out")
    has_certificate, has_key = (entry.text(f"client-{kind}") or entry.text(f"client-{kind}-data") for kind in PAIR)
    if has_certificate and not has_key:
        raise entry.refusal("client-certificate", "has no key", "Write `client-key` or `client-key-data` as well")
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
        fix = "Write the user to impersonate as `as`"
        raise entry.refusal("as", "is missing, but a uid, groups or extra fields to impersonate are there", fix)
    return user


def _exec_plugin(entry: _Entry) -> ExecPlugin:
    command, version, mode = entry.text("command"), entry.text("apiVersion"), entry.text("interactiveMode")
    if not command:
        raise entry.refusal("command", "is missing", "Write the program that prints the credentials")
    if version not in EXEC_API_VERSIONS:
        raise entry.refusal("apiVersion", "is not one that client-go knows", f"Write `{EXEC_API_VERSIONS[0]}`")
    # Before v1 the default is IfAvailable (tools/clientcmd/api/v1/defaults.go).
    if mode not in ("Never", "IfAvailable") and not (version == EXEC_API_VERSIONS[1] and not mode):
        fix = "Write `Never` or `IfAvailable`, and log in before"
        raise entry.refusal("interactiveMode", "asks for a terminal, which Pulumi's programs do not have", fix)
    variables = entry.entries("env")
    for each in variables:
        if not each.text("name") or "=" in each.text("name") or "\0" in each.text("name") + each.text("value"):
            raise entry.refusal("env", "has a variable without a name that the system takes", "Write one")
    if "\0" in "".join((command, *entry.texts("args"))):
        raise entry.refusal("args", "holds a NUL byte", "Take it out")
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
        raise entry.refusal(key, "holds characters that no HTTP header takes", "Write it in one line, without them")
    return value


def _headers(entry: _Entry, key: str) -> Iterable[str]:
    for value in entry.texts(key):
        if not is_header(value):
            raise entry.refusal(key, "holds characters that no HTTP header takes", "Write them without these")
        yield value


def is_header(value: str) -> bool:
    """Whether an HTTP header may have a value."""
    return all(character.isprintable() for character in value) and value == value.strip()


def _text(value: object, place: str, file: _File) -> str:
    if not isinstance(value, str):
        raise file.mistake(place, value, "a string")
    return value


def _type_of(value: object) -> str:
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list", dict: "a mapping"}
    return "missing" if value is None else names.get(type(value), "something else")
