"""Runtimes of TrainJobs that are read from a cluster."""

from typing import Any

import pytest
import yaml

from components.cluster.client import ClusterReadError
from components.runtimes.cluster_runtimes import runtimes_of_cluster
from components.runtimes.train_job import RuntimeRef
from components.runtimes.train_job_linter import RuntimeSourceError

from ..fake_cluster import Cluster
from .files import GOOD

API = "/apis/trainer.kubeflow.org/v1alpha1"
STORED = {"uid": "1", "resourceVersion": "5", "creationTimestamp": "2026-01-01T00:00:00Z", "managedFields": []}


def cluster(**changes: object) -> Cluster:
    runtime = yaml.safe_load(GOOD)
    runtime |= {"metadata": runtime["metadata"] | STORED, **changes}
    team = runtime | {"kind": "TrainingRuntime", "metadata": runtime["metadata"] | {"namespace": "team"}}
    return Cluster(
        {
            f"{API}/clustertrainingruntimes/torch": runtime,
            f"{API}/namespaces/team/trainingruntimes/torch": team,
        }
    )


def test_a_cluster_training_runtime_is_read_without_what_the_server_sets() -> None:
    asked = cluster()
    found = runtimes_of_cluster(asked).find(RuntimeRef(name="torch"), "team")
    assert found is not None
    assert found.runtime.to_manifest() == yaml.safe_load(GOOD)
    assert found.place == "context here"
    assert asked.calls == [("GET", f"{API}/clustertrainingruntimes/torch")]


def test_a_training_runtime_is_read_from_the_namespace() -> None:
    source = runtimes_of_cluster(cluster())
    reference = RuntimeRef(name="torch", kind="TrainingRuntime")
    found = source.find(reference, "team")
    assert found is not None
    assert (found.runtime.kind, found.runtime.metadata.namespace) == ("TrainingRuntime", "team")
    assert source.find(reference, "other") is None


def test_a_missing_runtime_does_not_exist() -> None:
    source = runtimes_of_cluster(cluster())
    assert source.find(RuntimeRef(name="jax"), "team") is None
    assert source.fix is None
    assert source.names() == ["torch"]


def test_a_user_who_cannot_list_runtimes_gets_no_suggestions(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = cluster()

    def refuse(path: str) -> list[Any]:
        raise ClusterReadError(f"{path} cannot be read: forbidden")

    monkeypatch.setattr(asked, "list_objects", refuse)
    source = runtimes_of_cluster(asked)
    assert source.find(RuntimeRef(name="jax"), "team") is None
    assert source.names() == []


def test_a_cluster_that_does_not_answer_is_an_error() -> None:
    asked = cluster()
    asked.down = True
    with pytest.raises(RuntimeSourceError, match="the API server does not answer: refused"):
        runtimes_of_cluster(asked).find(RuntimeRef(name="torch"), "team")


def test_a_runtime_with_unknown_fields_is_an_error() -> None:
    with pytest.raises(RuntimeSourceError, match=r"torch has fields that are not known: spec\.new"):
        runtimes_of_cluster(cluster(spec={"new": 1})).find(RuntimeRef(name="torch"), "team")
