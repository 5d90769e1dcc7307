"""Kubeconfigs, read as client-go reads them: lists of files, paths, and what is refused by name."""

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.cluster.kubeconfig import MAX_KUBECONFIG_BYTES, KubeconfigError, read_context

from .api_answers import kubeconfig

HERE = "https://127.0.0.1:6443"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a home of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    return tmp_path


def write(path: str, **sections: Any) -> Path:
    """A kubeconfig of these sections: `contexts`, `clusters` and `users` by their names, each with what is in it."""
    listed = {
        f"{kind}s": [{"name": name, kind: content} for name, content in sections.pop(f"{kind}s", {}).items()]
        for kind in ("context", "cluster", "user")
    }
    current = {"current-context": sections.pop("current")} if "current" in sections else {}
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(yaml.safe_dump({**listed, **current, **sections}))
    return file


def one(path: str, name: str, server: str = HERE, **user: Any) -> Path:
    """A kubeconfig with one context, whose cluster and user have its name."""
    return write(
        path, contexts={name: {"cluster": name, "user": name}}, clusters={name: {"server": server}}, users={name: user}
    )


# Lists of files


def test_first_of_two_entries_with_the_same_name_applies(monkeypatch: pytest.MonkeyPatch) -> None:
    first = {"contexts": {"a": {"cluster": "c", "user": "u"}}, "users": {"u": {"username": "first"}}}
    write("one", **first)
    write(
        "two",
        contexts={"a": {"cluster": "d"}, "b": {"cluster": "c", "user": "u"}},
        clusters={"c": {"server": "https://two"}},
        users={"u": {"token": "second", "as": "admin"}},
        current="b",
    )
    write("three", clusters={"c": {"server": "https://three"}}, current="a")
    monkeypatch.setenv("KUBECONFIG", "missing:one::two:three:one")
    for name in ("a", "b"):
        found = read_context(name, None)
        assert (found.cluster.server, found.user.username, found.user.token) == ("https://two", "first", "")
        assert (found.user.impersonate, found.source) == ("", "one, two, three")


def test_paths_start_at_the_file_that_has_them(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = {"client-certificate": "tls.crt", "client-key": "../tls.key", "tokenFile": "/run/token"}
    plugin = {"apiVersion": "client.authentication.k8s.io/v1beta1", "command": "bin/login"}
    write("one/config", contexts={"a": {"cluster": "c", "user": "u"}}, users={"u": {**paths, "exec": plugin}})
    write("two/config", clusters={"c": {"server": HERE, "certificate-authority": "ca.crt"}})
    monkeypatch.setenv("KUBECONFIG", f"one/config:{folder}/two/config")
    found = read_context("a", None)
    assert found.cluster.ca_file == f"{folder}/two/ca.crt"
    assert found.user.certificate_file == f"{folder}/one/tls.crt"
    assert found.user.key_file == f"{folder}/one/../tls.key"
    assert found.user.token_file == "/run/token"  # noqa: S105
    assert found.user.exec_plugin is not None
    assert found.user.exec_plugin.command == f"{folder}/one/bin/login"


def test_a_command_without_a_slash_is_looked_for_on_the_path() -> None:
    plugin = {"apiVersion": "client.authentication.k8s.io/v1", "command": "aws", "interactiveMode": "IfAvailable"}
    found = read_context(None, kubeconfig(HERE, {"exec": plugin}))
    assert found.user.exec_plugin is not None
    assert found.user.exec_plugin.command == "aws"


@pytest.mark.parametrize("value", [None, ""])
def test_without_a_list_the_users_kubeconfig_is_read(value: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if value is not None:
        monkeypatch.setenv("KUBECONFIG", value)
    one("home/.kube/config", "mine", "https://mine")
    found = read_context("mine", None)
    assert (found.cluster.server, found.source) == ("https://mine", "~/.kube/config")


def test_with_a_list_the_users_kubeconfig_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    one("home/.kube/config", "mine")
    one("other", "other")
    monkeypatch.setenv("KUBECONFIG", "other")
    with pytest.raises(KubeconfigError, match="other has no context `mine`"):
        read_context("mine", None)


def test_unreadable_file_in_a_list_is_rejected(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one("good", "mine")
    (folder / "bad").write_text("{")
    (folder / "link").symlink_to("nowhere")
    for bad, said in (("bad", "it is not valid YAML at line 1"), (".", "Is a directory"), ("link", "No such file")):
        monkeypatch.setenv("KUBECONFIG", f"good:{bad}")
        with pytest.raises(KubeconfigError, match=f"^{bad} cannot be read: {said}"):
            read_context("mine", None)


# One kubeconfig that is given


def test_the_current_context_is_that_of_a_kubeconfig_that_is_given() -> None:
    assert read_context(None, kubeconfig("https://a")).cluster.server == "https://a"
    path = write("config", contexts={"a": {"cluster": "c"}}, clusters={"c": {"server": "https://b"}}, current="a")
    for given in ("config", str(path.absolute()), "./config"):
        assert read_context(None, given).cluster.server == "https://b"


def test_the_current_context_of_a_machine_is_never_used(monkeypatch: pytest.MonkeyPatch) -> None:
    write("config", contexts={"a": {"cluster": "c"}}, clusters={"c": {"server": HERE}}, current="a")
    monkeypatch.setenv("KUBECONFIG", "config")
    for nothing in (None, ""):
        with pytest.raises(KubeconfigError, match="No context is set"):
            read_context(None, nothing)


def test_a_path_may_start_at_the_users_home() -> None:
    one("home/config", "a")
    assert read_context("a", "~/config").source == "~/config"


def test_paths_of_a_given_file_start_where_pulumis_provider_starts_them(folder: Path) -> None:
    sections = {
        "contexts": {"a": {"cluster": "c"}},
        "clusters": {"c": {"server": HERE, "certificate-authority": "ca.crt"}},
    }
    write("config", **sections)
    assert read_context("a", "config").cluster.ca_file == f"{folder}/ca.crt"
    write("below/config", **sections)
    with pytest.raises(KubeconfigError) as refused:
        read_context("a", "below/config")
    assert (str(refused.value), refused.value.fix) == (
        "`clusters[0].cluster.certificate-authority` in below/config is a relative path, which kubectl resolves "
        "at the kubeconfig's folder, but Pulumi's provider at the project's.",
        "Use an absolute path, or remove `kubeconfig` and set the variable `KUBECONFIG=below/config`.",
    )


def test_a_content_has_no_relative_paths() -> None:
    with pytest.raises(KubeconfigError, match="is a relative path, but the kubeconfig is not a file"):
        read_context(None, kubeconfig(HERE, {"tokenFile": "token"}))


def test_name_of_an_existing_file_is_a_path() -> None:
    one("{}", "a", "https://file")
    assert read_context("a", "{}").cluster.server == "https://file"


# What is in it


def test_everything_of_a_cluster_and_a_user_is_read() -> None:
    cluster = {
        "tls-server-name": "api.internal",
        "certificate-authority-data": base64.b64encode(b"ca").decode(),
        "proxy-url": "http://proxy:3128",
        "disable-compression": True,
        "extensions": [{"name": "client.authentication.k8s.io/exec", "extension": {"audience": "me"}}],
    }
    user = {
        "client-certificate-data": "Y2Vy\ndA==\n",
        "client-key-data": base64.b64encode(b"key").decode(),
        "username": "u",
        "password": "p",
        "as": "team",
        "as-uid": "7",
        "as-groups": ["a"],
        "as-user-extra": {"k": ["v"]},
    }
    found = read_context(None, kubeconfig("https://a:6443/k8s/?x=y#z", user, **cluster))
    assert found.cluster.server == "https://a:6443/k8s"
    assert (found.cluster.tls_server_name, found.cluster.ca_data, found.cluster.insecure) == (
        "api.internal",
        b"ca",
        False,
    )
    assert (found.cluster.proxy_url, found.cluster.exec_config) == ("http://proxy:3128", {"audience": "me"})
    assert (found.user.certificate_data, found.user.key_data) == (b"cert", b"key")
    assert (found.user.username, found.user.password) == ("u", "p")
    assert (found.user.impersonate, found.user.impersonate_uid) == ("team", "7")
    assert (found.user.impersonate_groups, found.user.impersonate_extra) == (("a",), {"k": ("v",)})


def test_scalars_are_those_of_kubernetes() -> None:
    text = "contexts: [{name: 2026-12-01, context: {cluster: 12:30}}]\nclusters: [{name: 12:30, cluster: {server: %s}}]"
    assert read_context("2026-12-01", text % HERE).cluster.server == HERE


PLUGIN = {"apiVersion": "client.authentication.k8s.io/v1", "command": "aws", "interactiveMode": "Never"}
REFUSED: dict[str, tuple[Mapping[str, Any], Mapping[str, Any], str]] = {
    "auth-provider": (
        {},
        {"auth-provider": {"name": "gcp"}},
        "`users[0].user.auth-provider` in the given kubeconfig is not supported by this project.",
    ),
    "insecure as a string": (
        {"insecure-skip-tls-verify": "false"},
        {},
        "the given kubeconfig is not a kubeconfig: `clusters[0].cluster.insecure-skip-tls-verify` is a string, not "
        "true or false, without quotes.",
    ),
    "insecure and an authority": (
        {"insecure-skip-tls-verify": True, "certificate-authority-data": "YQ=="},
        {},
        "`clusters[0].cluster.insecure-skip-tls-verify` in the given kubeconfig conflicts with the CA certificates.",
    ),
    "two authorities": (
        {"certificate-authority": "/ca", "certificate-authority-data": "YQ=="},
        {},
        "`clusters[0].cluster.certificate-authority` in the given kubeconfig conflicts with "
        "`certificate-authority-data`.",
    ),
    "an authority that is not base64": (
        {"certificate-authority-data": "hunter2!"},
        {},
        "`clusters[0].cluster.certificate-authority-data` in the given kubeconfig is not base64.",
    ),
    "a password in the URL": (
        {"server": "https://me:hunter2@api"},
        {},
        "`clusters[0].cluster.server` in the given kubeconfig contains a user name or password.",
    ),
    "a user name in the URL": (
        {"server": "https://hunter2@api"},
        {},
        "`clusters[0].cluster.server` in the given kubeconfig contains a user name or password.",
    ),
    "two certificates": (
        {},
        {"client-certificate": "/c", "client-certificate-data": "YQ==", "client-key": "/k"},
        "`users[0].user.client-certificate` in the given kubeconfig conflicts with `client-certificate-data`.",
    ),
    "two keys": (
        {},
        {"client-certificate": "/c", "client-key-data": "YQ==", "client-key": "/k"},
        "`users[0].user.client-key` in the given kubeconfig conflicts with `client-key-data`.",
    ),
    "a certificate without key": (
        {},
        {"client-certificate": "/c"},
        "`users[0].user.client-certificate` in the given kubeconfig has no key.",
    ),
    "a token and a password": (
        {},
        {"token": "hunter2", "username": "me"},
        "`users[0].user.token` in the given kubeconfig conflicts with the user name or password.",
    ),
    "a token of two lines": (
        {},
        {"token": "hunter2\nhunter2"},
        "`users[0].user.token` in the given kubeconfig has characters that are invalid in an HTTP header.",
    ),
    "a token that is a number": (
        {},
        {"token": 12345},
        "the given kubeconfig is not a kubeconfig: `users[0].user.token` is a number, not a string.",
    ),
    "a user that is a token": (
        {},
        "hunter2",  # type: ignore[dict-item]
        "the given kubeconfig is not a kubeconfig: `users[0].user` is a string, not a mapping.",
    ),
    "groups of nobody": (
        {},
        {"as-groups": ["hunter2"]},
        "`users[0].user.as` in the given kubeconfig is required with a uid, groups or extra fields to impersonate.",
    ),
    "groups that are a string": (
        {},
        {"as": "a", "as-groups": "hunter2"},
        "the given kubeconfig is not a kubeconfig: `users[0].user.as-groups` is a string, not a list.",
    ),
    "a group of two lines": (
        {},
        {"as": "a", "as-groups": ["hunter2\r\nX: y"]},
        "`users[0].user.as-groups` in the given kubeconfig has characters that are invalid in an HTTP header.",
    ),
    "a plugin without command": (
        {},
        {"exec": {**PLUGIN, "command": ""}},
        "`users[0].user.exec.command` in the given kubeconfig is required.",
    ),
    "a plugin of an old API": (
        {},
        {"exec": {**PLUGIN, "apiVersion": "client.authentication.k8s.io/v1alpha1"}},
        "`users[0].user.exec.apiVersion` in the given kubeconfig is not supported by client-go.",
    ),
    "a plugin that wants a terminal": (
        {},
        {"exec": {**PLUGIN, "interactiveMode": "Always"}},
        "`users[0].user.exec.interactiveMode` in the given kubeconfig requires a terminal, which Pulumi programs "
        "do not have.",
    ),
    "a plugin of v1 without a mode": (
        {},
        {"exec": {key: value for key, value in PLUGIN.items() if key != "interactiveMode"}},
        "`users[0].user.exec.interactiveMode` in the given kubeconfig requires a terminal, which Pulumi programs "
        "do not have.",
    ),
    "a plugin with a variable without name": (
        {},
        {"exec": {**PLUGIN, "env": [{"value": "hunter2"}]}},
        "`users[0].user.exec.env` in the given kubeconfig has a variable with an invalid name or value.",
    ),
    "a plugin with a NUL": (
        {},
        {"exec": {**PLUGIN, "args": ["hunter2\0"]}},
        "`users[0].user.exec.args` in the given kubeconfig contains a NUL byte.",
    ),
}


@pytest.mark.parametrize(("cluster", "user", "message"), REFUSED.values(), ids=REFUSED)
def test_unsupported_entries_are_rejected_by_name(cluster: Mapping[str, Any], user: Any, message: str) -> None:
    text = kubeconfig(**{"server": HERE, **cluster}, user=user)
    with pytest.raises(KubeconfigError) as refused:
        read_context(None, text)
    assert str(refused.value) == message
    assert "hunter2" not in refused.value.fix
    assert refused.value.fix.endswith(".")


@pytest.mark.parametrize("top", [{"kind": "Secret"}, {"apiVersion": "v2"}])
def test_other_object_is_not_a_kubeconfig(top: Mapping[str, str]) -> None:
    text = json.dumps({**json.loads(kubeconfig(HERE)), **top})
    with pytest.raises(KubeconfigError, match="is not a kubeconfig: it has another `kind` or `apiVersion`"):
        read_context(None, text)
    sound = json.dumps({**json.loads(kubeconfig(HERE)), "kind": "Config", "apiVersion": "v1"})
    assert read_context(None, sound).cluster.server == HERE


def test_duplicate_entry_in_a_file_is_rejected() -> None:
    config = json.loads(kubeconfig(HERE))
    config["users"] *= 2
    with pytest.raises(KubeconfigError, match=r"`users\[1\].name` in the given kubeconfig is a duplicate"):
        read_context(None, json.dumps(config))


@pytest.mark.parametrize(
    ("context", "message"),
    [
        ({"cluster": "c", "user": "gone"}, "Context `a` in the given kubeconfig has a user that does not exist."),
        ({"cluster": "gone"}, "Context `a` in the given kubeconfig has no cluster with a `server`."),
        ({}, "Context `a` in the given kubeconfig has no cluster with a `server`."),
    ],
)
def test_context_without_cluster_is_rejected(context: Mapping[str, str], message: str) -> None:
    config = {**json.loads(kubeconfig(HERE)), "contexts": [{"name": "a", "context": context}]}
    with pytest.raises(KubeconfigError) as refused:
        read_context("a", json.dumps(config))
    assert (str(refused.value), refused.value.key) == (message, "context")


def test_empty_user_equals_no_user() -> None:
    config = {**json.loads(kubeconfig(HERE)), "contexts": [{"name": "a", "context": {"cluster": "c"}}]}
    assert read_context("a", json.dumps(config)).user == read_context("a", kubeconfig(HERE)).user


def test_unknown_context_suggests_a_similar_one() -> None:
    with pytest.raises(KubeconfigError) as refused:
        read_context("staging-1", json.dumps({"contexts": [{"name": "staging"}, {"name": "prod"}]}))
    assert (str(refused.value), refused.value.fix, refused.value.key) == (
        "the given kubeconfig has no context `staging-1`.",
        "Did you mean `staging`? Known contexts: `staging`, `prod`.",
        "context",
    )


def test_a_large_kubeconfig_is_refused() -> None:
    large = f"# {'x' * MAX_KUBECONFIG_BYTES}\n{kubeconfig(HERE)}"
    with pytest.raises(KubeconfigError, match="the given kubeconfig is larger than 4 MiB"):
        read_context(None, large)
    Path("large").write_text(large)
    with pytest.raises(KubeconfigError, match="large is larger than 4 MiB"):
        read_context(None, "large")


@pytest.mark.parametrize(
    ("path", "message"), [("/dev/zero", "/dev/zero is larger than 4 MiB."), ("fifo", "fifo has no context `a`.")]
)
def test_endless_file_is_not_waited_for(path: str, message: str) -> None:
    import os

    if path == "fifo":
        os.mkfifo(path)
    with pytest.raises(KubeconfigError) as error:
        read_context("a", path)
    assert str(error.value) == message


def test_aliases_without_an_end_are_refused() -> None:
    bomb = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
    with pytest.raises(KubeconfigError, match="is not valid YAML at line"):
        read_context("a", f"a0: &a0 [x]\n{bomb}")
