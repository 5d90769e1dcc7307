"""What the rules for TrainJobs say is what the API server, Trainer, JobSet and Kubernetes do."""

import os
import time
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest
from kubernetes.client import ApiException

from components.runtimes import rules
from components.runtimes.explain import LATEST
from components.validation.violation import only_errors
from tests.unit.runtimes.pair_rules.cases import CASES, CHECKED_AGAIN
from tests.unit.runtimes.pair_rules.samples import Sample

from .conftest import Platform
from .explain_comparison import ApiServer, Object
from .explain_pairs import pairs

TIMEOUT = 30.0
"""Seconds until Trainer has seen a runtime, and until Jobs are created."""

QUIET = 5.0
"""Seconds in which no Job is created for a TrainJob that gets none, and no runtime is found for one that has none."""

PAIRS = 1000 if "SOAK" in os.environ else 40
BATCH = 20

API = "/apis/trainer.kubeflow.org/v1alpha1"
NAMESPACES = "/api/v1/namespaces"
SEEN = [case for case in (*CASES, *CHECKED_AGAIN) if case.seen and case.broken.trainer == case.sound.trainer == LATEST]
REJECTED = {f"{index} {case}": case for index, case in enumerate(SEEN) if "create" in case.shows}
ADMITTED = {f"{index} {case}": case for index, case in enumerate(SEEN) if "create" not in case.shows}


@pytest.fixture(scope="module")
def server(platform: Platform) -> ApiServer:
    return ApiServer(platform)


class Place:
    """A namespace with a sample's runtime, which has no other TrainJobs."""

    def __init__(self, server: ApiServer, namespace: str, sample: Sample) -> None:
        self.namespace = namespace
        self._server = server
        self._train_job = sample.train_job.to_manifest()
        self._train_job["metadata"]["namespace"] = namespace
        server.call("POST", NAMESPACES, {"metadata": {"name": namespace}})
        if sample.runtime is None:
            return
        runtime = sample.runtime.to_manifest()
        reference = self._train_job["spec"]["runtimeRef"]
        # The samples have runtimes of the same name, which do not meet in namespaces.
        if runtime["kind"] == "ClusterTrainingRuntime" and not reference.keys() & {"kind", "apiGroup"}:
            reference["kind"] = runtime["kind"] = "TrainingRuntime"
        elif runtime["kind"] == "ClusterTrainingRuntime":
            reference["name"] = runtime["metadata"]["name"] = namespace
        self._runtimes = f"{API}/clustertrainingruntimes"
        if runtime["kind"] == "TrainingRuntime":
            runtime["metadata"]["namespace"] = namespace
            self._runtimes = f"{API}/namespaces/{namespace}/trainingruntimes"
        self._runtime = runtime["metadata"]["name"]
        server.call("POST", self._runtimes, runtime)

    def submit(self, validation: str = "Ignore", patience: float = TIMEOUT, **query: str) -> str | None:
        """Create the TrainJob. Returns why it is rejected."""
        path = f"{API}/namespaces/{self.namespace}/trainjobs"
        deadline = time.monotonic() + patience
        while True:
            try:
                self._server.call("POST", path, self._train_job, fieldValidation=validation, **query)
            except ApiException as error:
                # Trainer rejects a TrainJob for a runtime that it has not seen yet.
                unseen = "must be created before" in str(error.body) and "not found" in str(error.body)
                if not unseen or time.monotonic() > deadline:
                    return str(error.body)
                time.sleep(0.1)
            else:
                return None

    def jobs(self) -> list[Object]:
        """The Jobs in the namespace."""
        jobs: list[Object] = self._server.call("GET", f"/apis/batch/v1/namespaces/{self.namespace}/jobs")["items"]
        return jobs

    def reasons(self) -> str:
        """What events in the namespace say."""
        events = self._server.call("GET", f"/api/v1/namespaces/{self.namespace}/events")["items"]
        return " ".join(str(each.get("message")) for each in events if each["type"] == "Warning")

    def remove(self) -> None:
        """Delete everything."""
        self._server.call("DELETE", f"{API}/namespaces/{self.namespace}/trainjobs")
        if hasattr(self, "_runtimes"):
            self._server.call("DELETE", f"{self._runtimes}/{self._runtime}")
        self._server.call("DELETE", f"{NAMESPACES}/{self.namespace}")


@pytest.fixture
def places(server: ApiServer) -> Iterator[Any]:
    made: list[Place] = []

    def place(sample: Sample) -> Place:
        made.append(Place(server, f"verdict-{time.monotonic_ns()}", sample))
        return made[-1]

    yield place
    for each in made:
        each.remove()


def test_rejected_train_jobs_are_rejected_and_similar_ones_are_admitted(places: Any) -> None:
    assert len(REJECTED) > 50
    broken = {name: places(case.broken) for name, case in REJECTED.items()}
    sound = {name: places(case.sound) for name, case in REJECTED.items()}
    wrong = []
    for name, case in REJECTED.items():
        validation = "Strict" if case.shows == "strict create" else "Ignore"
        if reason := sound[name].submit(validation, dryRun="All"):
            wrong.append(f"{name}: the similar one is rejected: {reason}")
        reason = broken[name].submit(validation, QUIET, dryRun="All")
        print(f"{name}: {reason}")
        if reason is None:
            wrong.append(f"{name}: admitted")
    assert wrong == []


def test_admitted_train_jobs_get_jobs_or_none(places: Any) -> None:
    assert len(ADMITTED) > 30
    with_jobs: dict[str, Place] = {}
    without_jobs: dict[str, Place] = {}
    for name, case in ADMITTED.items():
        with_jobs[f"{name}, similar"] = places(case.sound)
        (without_jobs if case.shows == "reconcile" else with_jobs)[name] = places(case.broken)
    wrong = [f"{name}: {reason}" for name, place in {**with_jobs, **without_jobs}.items() if (reason := place.submit())]
    deadline = time.monotonic() + TIMEOUT
    while time.monotonic() < deadline and not all(place.jobs() for place in with_jobs.values()):
        time.sleep(0.5)
    time.sleep(QUIET)
    wrong += [f"{name}: no Job: {place.reasons()}" for name, place in with_jobs.items() if not place.jobs()]
    wrong += [f"{name}: has a Job" for name, place in without_jobs.items() if place.jobs()]
    for name, place in without_jobs.items():
        print(f"{name}: {place.reasons()}")
    assert wrong == []


def explainable(sample: Sample) -> bool:
    """Whether a TrainJob without Jobs must have errors: its runtime has none, and needs nothing of the cluster."""
    runtime = sample.runtime
    return runtime is not None and not runtime.spec.pod_group_policy and not only_errors(rules.check(runtime))


def test_pairs_with_errors_get_no_jobs_and_others_do(server: ApiServer) -> None:
    wrong, trained = [], 0
    generated = pairs(PAIRS, seed=4, trainer=LATEST)
    while batch := list(islice(generated, BATCH)):
        samples = {pair.name: Sample(pair.train_job, pair.runtime) for pair in batch}
        places = {name: Place(server, f"verdict-{name}", sample) for name, sample in samples.items()}
        found = {name: only_errors(sample.violations()) for name, sample in samples.items()}
        rejected = {name: reason for name, place in places.items() if (reason := place.submit())}
        sound = [place for name, place in places.items() if not found[name]]
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline and not all(place.jobs() for place in sound):
            time.sleep(0.5)
        for name, place in places.items():
            trains = bool(place.jobs())
            trained += trains
            if trains == bool(found[name]) and (trains or explainable(samples[name])):
                reason = rejected.get(name) or place.reasons()
                wrong.append(f"{name}: {len(place.jobs())} Jobs, found {list(map(str, found[name]))}: {reason}")
            place.remove()
    print(f"{trained} of {PAIRS} TrainJobs have Jobs")
    assert wrong == []
    assert trained > PAIRS // 2
