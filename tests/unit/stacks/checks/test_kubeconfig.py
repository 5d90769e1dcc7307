"""The cluster that is meant: found by its context."""

from pathlib import Path

import pytest

from components.cluster.kubeconfig import read_context
from components.validation.violation import Violation
from stacks.checks.kubeconfig import UnreachableClusterError, check_context

CONFIG = """\
contexts:
- {{name: {context}, context: {{cluster: {context}}}}}
clusters:
- {{name: {context}, cluster: {{server: "{server}"}}}}
"""


PATH = "Set the path of a kubeconfig. A relative path starts at the project's folder."
FILE = "Correct the file, or set the path of another one."


def write(project: Path, name: str, context: str, server: str) -> None:
    (project / name).write_text(CONFIG.format(context=context, server=server))


def server(context: str, kubeconfig: str | None) -> str:
    check_context(context, kubeconfig)
    return read_context(context, kubeconfig).cluster.server


@pytest.mark.usefixtures("project")
def test_context_with_a_cluster_is_valid() -> None:
    assert server("local", "kubeconfig") == "https://127.0.0.1:6443"


def test_default_kubeconfig_is_that_of_the_home_directory(project: Path) -> None:
    (project / "home" / ".kube").mkdir(parents=True)
    write(project, "home/.kube/config", "mine", "https://a")
    assert server("mine", None) == "https://a"


def test_default_kubeconfig_is_that_of_the_environment(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(project, "one", "a", "https://one")
    write(project, "two", "b", "https://two")
    write(project, "three", "a", "https://three")
    monkeypatch.setenv("KUBECONFIG", "missing:one:two:three")
    assert server("b", None) == "https://two"
    assert server("a", None) == "https://one"


def test_the_current_context_is_never_used(project: Path) -> None:
    (project / "two").write_text(
        """\
current-context: current
contexts:
- {name: current, context: {cluster: a}}
- {name: other, context: {cluster: b}}
clusters:
- {name: a, cluster: {server: "https://a"}}
- {name: b, cluster: {server: "https://b"}}
"""
    )
    assert server("other", "two") == "https://b"
    with pytest.raises(UnreachableClusterError) as unknown:
        server("third", "two")
    assert unknown.value.violation.message == "two has no context `third`."


def test_first_missing_file_of_the_environment_is_reported(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "home" / ".kube").mkdir(parents=True)
    write(project, "home/.kube/config", "mine", "https://a")
    monkeypatch.setenv("KUBECONFIG", "missing:gone")
    with pytest.raises(UnreachableClusterError) as unread:
        server("mine", None)
    assert unread.value.violation.message == "missing, gone cannot be read: No such file or directory."


@pytest.mark.parametrize(
    ("config", "place", "message"),
    [
        ("contexts: 3", "contexts", "a number, not a list"),
        ("contexts: {local: {}}", "contexts", "a mapping, not a list"),
        ("contexts: [x]", "contexts[0]", "a string, not a mapping"),
        ("contexts: [{context: {cluster: c}}]", "contexts[0].name", "missing, not a string"),
        ("contexts: [{name: 8, context: {cluster: c}}]", "contexts[0].name", "a number, not a string"),
        ("contexts: [{name: local, context: c}]", "contexts[0].context", "a string, not a mapping"),
        ("contexts: [{name: local}]\nclusters: [{name: a}, x]", "clusters[1]", "a string, not a mapping"),
        (
            "contexts: [{name: local}]\nclusters: [{name: c, cluster: text}]",
            "clusters[0].cluster",
            "a string, not a mapping",
        ),
        ("contexts: [{name: local, context: {cluster: [c]}}]", "contexts[0].context.cluster", "a list, not a string"),
    ],
)
def test_malformed_kubeconfig_is_rejected_with_the_path(project: Path, config: str, place: str, message: str) -> None:
    (project / "bent").write_text(config)
    with pytest.raises(UnreachableClusterError) as refused:
        server("local", "bent")
    assert refused.value.violation == Violation(
        "STK-05",
        "cluster.kubeconfig",
        f"bent is not a kubeconfig: `{place}` is {message}.",
        f"Correct `{place}`, or set the path of another kubeconfig.",
    )


@pytest.mark.parametrize("linked", ["null", "d", '""'])
def test_context_with_an_unknown_cluster_is_rejected(project: Path, linked: str) -> None:
    (project / "bent").write_text(
        f"contexts: [{{name: local, context: {{cluster: {linked}}}}}]\nclusters: [{{name: c, cluster: {{server: s}}}}]"
    )
    with pytest.raises(UnreachableClusterError) as refused:
        server("local", "bent")
    assert refused.value.violation.message == "Context `local` in bent has no cluster with a `server`."


@pytest.mark.parametrize(
    ("path", "reason", "fix"),
    [
        ("\0", "the path contains a NUL byte", PATH),
        ("~nobody-of-this-name/config", "No such file or directory", PATH),
        ("folder", "Is a directory", PATH),
        ("latin", "it is not UTF-8 text", FILE),
        ("open", "it is not valid YAML at line 2", FILE),
        ("deep", "it is not valid YAML at line 1", FILE),
        ("digits", "it is not valid YAML at line 1", FILE),
    ],
)
def test_unreadable_kubeconfig_is_rejected(project: Path, path: str, reason: str, fix: str) -> None:
    (project / "folder").mkdir()
    (project / "latin").write_bytes(b"contexts: [\xe9]")
    (project / "open").write_text("users:\n- token: [hunter2")
    (project / "deep").write_text("[" * 100_000)
    (project / "digits").write_text(f"contexts: {'1' * 5000}")
    with pytest.raises(UnreachableClusterError) as refused:
        server("local", path)
    assert refused.value.violation == Violation(
        "STK-05",
        "cluster.kubeconfig",
        f"{path} cannot be read: {reason}.",
        fix,
    )


@pytest.mark.parametrize(
    "address",
    [
        "https://a:abc",
        "https://a:99999",
        "https://a:0",
        "https://",
        "https://[a",
        "ftp://a",
        "ftp://a:21",
        "",
        "a:b:1",
        "localhost:6443",
    ],
)
def test_server_that_is_not_a_url_is_rejected(project: Path, address: str) -> None:
    write(project, "bent", "local", address)
    with pytest.raises(UnreachableClusterError) as refused:
        server("local", "bent")
    if not address:
        assert refused.value.violation.message == "Context `local` in bent has no cluster with a `server`."
        return
    assert refused.value.violation == Violation(
        "STK-05",
        "cluster.kubeconfig",
        "`clusters[0].cluster.server` in bent is not the URL of an API server.",
        "Write `https://`, a host and a port from 1 to 65535, or set another context.",
    )
