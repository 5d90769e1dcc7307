"""As whom the API server is asked: tokens, passwords, plugins, and whom to impersonate; nothing of it is shown."""

import base64
import json
import os
import ssl
import stat
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from components.cluster.client import ClusterClient, ClusterReadError
from components.cluster.credentials import Credentials, Shown
from components.cluster.deadline import run_within
from components.cluster.kubeconfig import KubeconfigError, read_context
from tests.api_server import ApiServer

from .api_answers import QUICK, TRAIN_JOB, TRAIN_JOBS, kubeconfig, status
from .servers import AUTHORITY, CERTIFICATES, WHOLE, after_request, listening, with_tls

SECURE = "https://127.0.0.1:6443"
V1, V1BETA1 = "client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"


def credentials(user: Mapping[str, Any], server: Any = SECURE, **cluster: Any) -> Credentials:
    return Credentials(read_context(None, kubeconfig(server, user, **cluster)))


def headers(user: Mapping[str, Any], server: str = SECURE) -> tuple[tuple[str, str], ...]:
    return credentials(user, server).now().headers


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    return (("Authorization", f"Bearer {token}"),)


def test_user_without_credentials_sends_none() -> None:
    assert headers({}) == ()


def test_token_is_sent() -> None:
    assert headers({"token": "hunter2"}) == bearer("hunter2")


def test_password_is_sent() -> None:
    (shown,) = headers({"username": "jürgen", "password": "hunter2"})
    assert shown == ("Authorization", "Basic " + base64.b64encode("jürgen:hunter2".encode()).decode())


IMPERSONATION = {
    "as": "team",
    "as-uid": "7",
    "as-groups": ["a", "b"],
    "as-user-extra": {"reason/x y": ["é", "two"], "%": []},
}


def test_impersonation_headers_are_sent() -> None:
    assert headers(IMPERSONATION) == (
        ("Impersonate-User", "team"),
        ("Impersonate-Uid", "7"),
        ("Impersonate-Group", "a"),
        ("Impersonate-Group", "b"),
        ("Impersonate-Extra-reason%2Fx%20y", "Ã©"),
        ("Impersonate-Extra-reason%2Fx%20y", "two"),
    )


def test_without_tls_only_impersonation_headers_are_sent() -> None:
    plugin = {"apiVersion": V1, "command": "/does/not/exist", "interactiveMode": "Never"}
    for user in ({"token": "hunter2"}, {"username": "u", "password": "hunter2"}, {"exec": plugin}):
        assert headers({**user, "as": "team"}, "http://127.0.0.1:8001") == (("Impersonate-User", "team"),)


def test_repeated_headers_reach_the_api_server() -> None:
    with ApiServer() as server:
        ClusterClient(None, kubeconfig(server.url, {**IMPERSONATION, "token": "hunter2"}), QUICK).get("/version")
    heard = server.headers[0]
    assert heard.get_all("Impersonate-Group") == ["a", "b"]
    assert heard["Impersonate-User"] == "team"
    assert heard["Impersonate-Extra-reason%2Fx%20y"] == "Ã©"
    assert "Authorization" not in heard


def test_a_token_is_read_from_its_file_each_time(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(" first\n")
    shown = credentials({"tokenFile": str(file)})
    assert shown.now().headers == bearer("first")
    file.write_text("second")
    assert shown.now().headers == bearer("second")
    file.unlink()
    assert shown.now().headers == bearer("second")
    file.write_text("")
    assert shown.now().headers == bearer("second")


def test_token_file_takes_precedence_over_token(tmp_path: Path) -> None:
    file = tmp_path / "token"
    user = {"token": "beside", "tokenFile": str(file)}
    assert headers(user) == bearer("beside")
    file.write_text("of the file")
    assert headers(user) == bearer("of the file")


@pytest.mark.parametrize("content", ["", " \n", "hunter2\nhunter2", "hunter2\0", "hunter2\x1b[2J"])
def test_invalid_token_file_is_rejected_and_not_shown(content: str, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(content)
    with pytest.raises(KubeconfigError, match="The file of `tokenFile` is not a token") as refused:
        headers({"tokenFile": str(tmp_path / "token")})
    assert "hunter2" not in str(refused.value)


def test_missing_token_file_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(KubeconfigError, match="The file of `tokenFile` cannot be read: No such file"):
        headers({"tokenFile": str(tmp_path / "token")})


def test_credentials_have_no_repr() -> None:
    for each in (credentials({"token": "hunter2"}), Shown(bearer("hunter2"), (b"hunter2", b"hunter2"))):
        assert "hunter2" not in repr(each)
    assert "hunter2" not in repr(read_context(None, kubeconfig(SECURE, {"token": "hunter2", "password": ""})))


# Plugins


def plugin(folder: Path, python: str, name: str = "login") -> str:
    """A program of these lines of Python."""
    path = folder / name
    path.write_text(f"#!{sys.executable}\nimport json, os, sys, time\n{python}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def user_of(command: str, version: str = V1, **more: Any) -> dict[str, Any]:
    mode = {"interactiveMode": "Never"} if version == V1 else {}
    return {"exec": {"apiVersion": version, "command": command, **mode, **more}}


def printing(version: str = V1, **fields: Any) -> str:
    return f"print(json.dumps({{'apiVersion': {version!r}, 'kind': 'ExecCredential', 'status': {fields!r}}}))"


def printing_token(expression: str, **fields: Any) -> str:
    """A line that prints a credential with the token that an expression of Python makes."""
    return printing(**fields, token="TOKEN").replace("'TOKEN'", expression)  # noqa: S106


@pytest.mark.parametrize("version", [V1, V1BETA1])
def test_a_plugin_prints_a_token(version: str, tmp_path: Path) -> None:
    assert headers(user_of(plugin(tmp_path, printing(version, token="hunter2")), version)) == bearer("hunter2")  # noqa: S106


def test_a_plugin_is_found_on_the_path_and_has_its_arguments_and_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugin(tmp_path, printing_token("sys.argv[1] + os.environ['MORE'] + os.environ['HERE']"))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("HERE", "c")
    user = user_of("login", args=["a"], env=[{"name": "MORE", "value": "b"}])
    assert headers(user) == bearer("abc")


def counting(folder: Path, **status: Any) -> str:
    """A plugin whose token is the number of its runs."""
    lines = f"runs = open({str(folder / 'runs')!r}, 'a+'); runs.write('x'); runs.seek(0); n = str(len(runs.read()))\n"
    return plugin(folder, lines + printing_token("n", **status))


def test_plugin_runs_once_until_its_credentials_expire(tmp_path: Path) -> None:
    for expires in ({}, {"expirationTimestamp": "2999-01-01T00:00:00Z"}):
        (tmp_path / "runs").unlink(missing_ok=True)
        shown = credentials(user_of(counting(tmp_path, **expires)))
        assert [shown.now().headers for _ in range(3)] == [bearer("1")] * 3


def test_plugin_runs_again_when_its_credentials_expire(tmp_path: Path) -> None:
    shown = credentials(user_of(counting(tmp_path, expirationTimestamp="2020-01-01T00:00:00Z")))
    assert [shown.now().headers for _ in range(3)] == [bearer("1"), bearer("2"), bearer("3")]


def test_a_plugin_runs_again_after_a_401_once(tmp_path: Path) -> None:
    heard: list[str] = []

    def talk(connection: ssl.SSLSocket) -> None:
        request = connection.recv(65536).decode()
        heard.append(request.partition("Bearer ")[2].partition("\r\n")[0])
        connection.sendall(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    with listening(with_tls("server", talk)) as port:  # type: ignore[arg-type]
        user = user_of(counting(tmp_path))
        access = ClusterClient(None, kubeconfig(f"https://127.0.0.1:{port}", user, **AUTHORITY), QUICK)
        assert access.request("DELETE", TRAIN_JOB).status == 401
    assert heard == ["1", "2"]


def test_rejected_token_is_not_sent_again() -> None:
    with (
        ApiServer(lambda *_: (401, status(401, "Unauthorized"))) as server,
        pytest.raises(ClusterReadError, match="Unauth"),
    ):
        ClusterClient(None, kubeconfig(server.url, {"token": "hunter2"}), QUICK).get(TRAIN_JOB)
    assert len(server.asked) == 1


def test_a_plugin_prints_a_certificate(tmp_path: Path) -> None:
    pem = (CERTIFICATES / "client.pem").read_text()
    certificate, _, key = pem.partition("-----BEGIN PRIVATE")
    lines = printing(clientCertificateData=certificate, clientKeyData=f"-----BEGIN PRIVATE{key}")
    with listening(with_tls("server", after_request(WHOLE), client=True)) as port:
        user = user_of(plugin(tmp_path, lines))
        access = ClusterClient(None, kubeconfig(f"https://127.0.0.1:{port}", user, **AUTHORITY), QUICK)
        assert access.list_objects(TRAIN_JOBS) == []


def test_plugin_is_not_run_if_there_is_a_token() -> None:
    user = user_of("/does/not/exist")
    assert headers({**user, "token": "mine"}) == bearer("mine")
    assert headers({**user, "username": "u", "password": "p"})[0][1].startswith("Basic ")


def test_plugin_gets_the_cluster_if_requested(tmp_path: Path) -> None:
    lines = f"open({str(tmp_path / 'told')!r}, 'w').write(os.environ['KUBERNETES_EXEC_INFO'])\n"
    command = plugin(tmp_path, lines + printing(token="t"))  # noqa: S106
    headers(user_of(command))
    told = json.loads((tmp_path / "told").read_text())
    assert told == {"kind": "ExecCredential", "apiVersion": V1, "spec": {"interactive": False}}
    extension = {"name": "client.authentication.k8s.io/exec", "extension": {"audience": "me"}}
    cluster = {**AUTHORITY, "tls-server-name": "api", "extensions": [{"name": "x", "extension": 1}, extension]}
    credentials(user_of(command, provideClusterInfo=True), **cluster).now()
    assert json.loads((tmp_path / "told").read_text())["spec"] == {
        "interactive": False,
        "cluster": {
            "server": SECURE,
            "tls-server-name": "api",
            "certificate-authority-data": base64.b64encode((CERTIFICATES / "ca.pem").read_bytes()).decode(),
            "config": {"audience": "me"},
        },
    }


SHOWING = "print('hunter2'); print('hunter2', file=sys.stderr)\n"
FAILURES = {
    "ends badly": (SHOWING + "sys.exit(7)", "failed with exit code 7"),
    "is killed": (SHOWING + "os.kill(os.getpid(), 9)", "failed with exit code -9"),
    "prints nothing": ("", "did not print an ExecCredential"),
    "prints text": (SHOWING, "did not print an ExecCredential"),
    "prints a list": ("print('[\"hunter2\"]')", "did not print an ExecCredential"),
    "prints too deep a thing": ("print('[' * 200000)", "did not print an ExecCredential"),
    "prints no text": ("sys.stdout.buffer.write(b'\\xff\\xfe\\x00hunter2')", "did not print"),
    "prints another kind": (
        printing(token="hunter2").replace("ExecCredential", "Secret"),  # noqa: S106
        "did not print an ExecCredential",
    ),
    "prints another version": (
        printing("client.authentication.k8s.io/v1alpha1", token="hunter2"),  # noqa: S106
        f"printed an ExecCredential whose version is not {V1}",
    ),
    "prints no status": (printing().replace("'status': {}", "'spec': {}"), "printed neither a token nor a certificate"),
    "prints an empty status": (printing(), "printed neither a token nor a certificate with its key"),
    "prints a token of two lines": (printing(token="hunter2\nhunter2"), "printed neither a token"),  # noqa: S106
    "prints a number": (printing(token=7), "printed neither a token"),
    "prints half a pair": (printing(clientCertificateData="hunter2"), "printed neither a token nor a certificate"),
    "prints no time": (
        printing(token="hunter2", expirationTimestamp="soon"),  # noqa: S106
        "printed an `expirationTimestamp` that is not a time",
    ),
}


@pytest.mark.parametrize(("python", "said"), FAILURES.values(), ids=FAILURES)
def test_failing_plugin_is_named_and_its_output_is_not_shown(
    python: str, said: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    access = ClusterClient(None, kubeconfig(SECURE, user_of(plugin(tmp_path, python))), QUICK)
    with pytest.raises(ClusterReadError) as failed:
        access.get(TRAIN_JOB)
    assert f"The exec plugin `login`, which logs in to the cluster, {said}" in str(failed.value)
    assert "hunter2" not in str(failed.value) + "".join(capfd.readouterr())


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("no-such-plugin", "is not on PATH, or is not a program"),
        ("/", "is not on PATH"),
        ("/etc/passwd", "is not on P"),
    ],
)
def test_missing_plugin_is_named(command: str, said: str) -> None:
    with pytest.raises(KubeconfigError, match=said):
        headers(user_of(command))


def test_plugin_that_is_not_a_program_is_named(tmp_path: Path) -> None:
    path = Path(plugin(tmp_path, ""))
    path.write_text("#!/does/not/exist\n")
    with pytest.raises(KubeconfigError, match="cannot be run: No such file or directory"):
        headers(user_of(str(path)))


def test_plugin_that_does_not_end_is_killed_with_its_children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("components.cluster.credentials.EXEC_TIMEOUT", 0.5)
    child = f"""\
import subprocess
child = subprocess.Popen(['sleep', '600'])
open({str(tmp_path / "pid")!r}, 'w').write(str(child.pid))
time.sleep(600)
"""
    with pytest.raises(KubeconfigError, match=r"did not finish within 0\.5 s"):
        headers(user_of(plugin(tmp_path, child)))
    there = Path("/proc", (tmp_path / "pid").read_text(), "stat")

    def ended() -> None:
        while there.exists() and there.read_text().split()[2] != "Z":
            time.sleep(0.01)

    run_within(10, ended)
