"""What the rules for TrainJobs say is what the API server, Trainer, JobSet and Kubernetes do."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from kubernetes.client import ApiException

from tests.unit.runtimes.pair_rules.cases import CASES
from tests.unit.runtimes.pair_rules.samples import Case, Sample

from .conftest import Platform
from .explain_comparison import Server

TIMEOUT = 20.0
"""Seconds until Trainer has seen a runtime, and until a rejected JobSet or Job has its event."""

API = "/apis/trainer.kubeflow.org/v1alpha1"
RUNTIMES = {
    "ClusterTrainingRuntime": f"{API}/clustertrainingruntimes",
    "TrainingRuntime": f"{API}/namespaces/default/trainingruntimes",
}


@pytest.fixture(scope="module")
def server(platform: Platform) -> Server:
    return Server(platform)


@contextmanager
def created(server: Server, sample: Sample) -> Iterator[dict[str, Any]]:
    """The sample's runtime on the cluster, and the manifest of its TrainJob."""
    manifest = sample.train_job.to_manifest()
    if sample.runtime is None:
        yield manifest
        return
    runtime = sample.runtime.to_manifest()
    path = RUNTIMES[runtime["kind"]]
    server.call("POST", path, runtime)
    try:
        yield manifest
    finally:
        server.call("DELETE", f"{path}/{runtime['metadata']['name']}")


def rejection(server: Server, manifest: dict[str, Any], validation: str = "Ignore") -> str | None:
    """Why a TrainJob would be rejected, by dry run."""
    namespace = manifest["metadata"].get("namespace", "default")
    deadline = time.monotonic() + TIMEOUT
    while True:
        try:
            path = f"{API}/namespaces/{namespace}/trainjobs"
            server.call("POST", path, manifest, dryRun="All", fieldValidation=validation)
        except ApiException as error:
            # Trainer rejects a TrainJob for a runtime that it has not seen yet.
            if "must be created before" not in str(error.body) or time.monotonic() > deadline:
                return str(error.body)
            time.sleep(0.1)
        else:
            return None


@pytest.mark.parametrize("case", CASES, ids=str)
def test_all(server: Server, case: Case) -> None:
    if case.broken.trainer != "2.3.0":
        pytest.skip("an older version")
    validation = "Strict" if case.shows == "strict create" else "Ignore"
    with created(server, case.broken) as manifest:
        reason = rejection(server, manifest, validation)
    print("BROKEN", reason)
    with created(server, case.sound) as manifest:
        sound = rejection(server, manifest)
    print("SOUND", sound)
    assert (reason is not None) == (case.shows != "never" and case.shows != "reconcile")
