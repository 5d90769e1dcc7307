"""What kwokctl is told, and which processes it may end."""

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from tools.local_cluster import cluster


@pytest.fixture
def local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cluster, "LOCAL", tmp_path)
    (tmp_path / "kwok" / "clusters" / cluster.NAME / "pids").mkdir(parents=True)
    return tmp_path


def note(local: Path, name: str, content: str) -> Path:
    file = local / "kwok" / "clusters" / cluster.NAME / "pids" / f"{name}.pid"
    file.write_text(content)
    return file


def test_everything_listens_on_the_loopback_address_and_etcd_requires_a_certificate(local: Path) -> None:
    told = cluster.configuration(local / "egress.yaml")
    assert told["options"]["bindAddress"] == "127.0.0.1"
    arguments = {
        patch["name"]: {argument["key"]: argument["value"] for argument in patch["extraArgs"]}
        for patch in told["componentsPatches"]
    }
    etcd, api_server = arguments["etcd"], arguments["kube-apiserver"]
    urls = [value for key, value in etcd.items() if "url" in key]
    assert len(urls) == 4
    assert all(url.startswith("https://127.0.0.1:") for url in urls)
    assert (etcd["client-cert-auth"], etcd["peer-client-cert-auth"]) == ("true", "true")
    assert api_server["etcd-servers"] == etcd["listen-client-urls"]
    assert api_server["egress-selector-config-file"] == str(local / "egress.yaml")


def test_every_port_is_set_and_each_cluster_has_its_own(local: Path) -> None:
    clusters = []
    for _ in range(2):
        options = cluster.configuration(local / "egress.yaml")["options"]
        clusters.append({value for key, value in options.items() if key.endswith("Port")})
    assert [len(ports) for ports in clusters] == [6, 6]
    assert clusters[0] != clusters[1]


def test_note_of_a_process_elsewhere_is_removed_before_kwokctl_would_kill_it(local: Path) -> None:
    (local / "elsewhere").mkdir()
    with (
        subprocess.Popen(["/bin/sleep", "60"], cwd=local / "kwok") as own,
        subprocess.Popen(["/bin/sleep", "60"], cwd=local / "elsewhere") as other,
    ):
        kept = note(local, "etcd", str(own.pid))
        removed = [note(local, "kwok", str(other.pid)), note(local, "cut", ""), note(local, "odd", "../x")]
        removed.append(note(local, "self", str(os.getpid())))
        cluster.forget_ended_processes()
        assert kept.exists()
        assert not any(file.exists() for file in removed)
        own.kill()
        other.kill()


def test_socket_of_a_long_temporary_folder_is_put_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / ("x" * 60) / ("y" * 60)
    deep.mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    folder = cluster.socket_folder()
    try:
        assert len(str(folder / cluster.SOCKET)) <= cluster.MAX_SOCKET_PATH
        assert folder.stat().st_mode & 0o777 == 0o700
    finally:
        folder.rmdir()
    assert list(deep.iterdir()) == []


@pytest.mark.parametrize("of", ["folder", "nothing", "file"])
def test_socket_folder_that_is_a_link_is_rejected(of: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    link, note = tmp_path / "training-platform-x", tmp_path / "note"
    link.symlink_to(tmp_path / of)
    note.write_text(str(link))
    monkeypatch.setattr(cluster, "SOCKET_FOLDER", note)
    with pytest.raises(cluster.LocalClusterError, match="is not a folder of this user"):
        cluster._socket()
    link.unlink()
    assert cluster._socket() == link / cluster.SOCKET
    assert link.stat().st_mode & 0o777 == 0o700
