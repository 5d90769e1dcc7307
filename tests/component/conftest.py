"""A cluster that answers with its id, and has nothing."""

import uuid
from pathlib import Path

import pytest
import yaml

from components.cluster.client import ClusterClient

CLUSTER_ID = "0a1b2c3d-0000-4000-8000-000000000001"
"""Uid of the namespace kube-system of the cluster that every stack reaches here."""

STACK_ID = "5d3e0f6a-0000-4000-8000-000000000002"
"""The id of every stack that has none yet."""


@pytest.fixture(autouse=True)
def cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is asked of a real one."""
    monkeypatch.setattr(ClusterClient, "uid", lambda _: CLUSTER_ID)
    monkeypatch.setattr(ClusterClient, "get", lambda *_: None)
    monkeypatch.setattr("components.cluster.stack_identity.uuid4", lambda: uuid.UUID(STACK_ID))


@pytest.fixture
def shared_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The project's folder, with a kubeconfig that has the context `shared`."""
    monkeypatch.chdir(tmp_path)
    kubeconfig = {
        "contexts": [{"name": "shared", "context": {"cluster": "c"}}],
        "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:6443"}}],
    }
    (tmp_path / "kubeconfig").write_text(yaml.safe_dump(kubeconfig))
    monkeypatch.setenv("KUBECONFIG", "kubeconfig")
