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
from components.runtimes.pair_rules import train_job_update_violations
from components.validation.violation import only_errors
from tests.unit.runtimes.explain.pairs import runtime, train_job
from tests.unit.runtimes.pair_rules.cases import CASES, CHECKED_AGAIN
from tests.unit.runtimes.pair_rules.samples import Sample, patches, pod_patch

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
        manifest = sample.runtime.to_manifest()
        reference = self._train_job["spec"]["runtimeRef"]
        # The samples have runtimes of the same name, which do not meet in namespaces.
        if manifest["kind"] == "ClusterTrainingRuntime" and not reference.keys() & {"kind", "apiGroup"}:
            reference["kind"] = manifest["kind"] = "TrainingRuntime"
        elif manifest["kind"] == "ClusterTrainingRuntime":
            reference["name"] = manifest["metadata"]["name"] = namespace
        self._runtimes = f"{API}/clustertrainingruntimes"
        if manifest["kind"] == "TrainingRuntime":
            manifest["metadata"]["namespace"] = namespace
            self._runtimes = f"{API}/namespaces/{namespace}/trainingruntimes"
        self._runtime = manifest["metadata"]["name"]
        server.call("POST", self._runtimes, manifest)

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

    def update(self, spec: Object) -> str | None:
        """Replace the spec of the TrainJob, by dry run. Returns why it is rejected."""
        path = f"{API}/namespaces/{self.namespace}/trainjobs/{self._train_job['metadata']['name']}"
        for _ in range(5):
            stored = self._server.call("GET", path)
            try:
                self._server.call("PUT", path, {**stored, "spec": spec}, dryRun="All")
            except ApiException as error:
                # The controller writes to the TrainJob, too.
                if error.status != 409:
                    return str(error.body)
            else:
                return None
        raise AssertionError("the TrainJob changes all the time")

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
    made = sample.runtime
    return made is not None and not made.spec.pod_group_policy and not only_errors(rules.check(made))


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


NODE = pod_patch(nodeSelector={"a": "1"})
SUSPENDED = {"suspend": True}
UPDATES: list[tuple[Object, Object]] = [
    ({"trainer": {"numNodes": 1}}, {"trainer": {"numNodes": 2}}),
    ({}, {"trainer": {"numNodes": 2}}),
    ({"trainer": {"numNodes": 1}}, {}),
    ({"activeDeadlineSeconds": 60}, {"activeDeadlineSeconds": 61}),
    ({}, {"managedBy": "kueue.x-k8s.io/multikueue"}),
    ({}, {"runtimePatches": patches(NODE)}),
    ({}, SUSPENDED | {"runtimePatches": patches(NODE)}),
    (SUSPENDED, {"suspend": False, "runtimePatches": patches(NODE)}),
    (SUSPENDED | {"runtimePatches": patches(NODE)}, SUSPENDED | {"runtimePatches": patches(pod_patch())}),
    *(
        (SUSPENDED | {"runtimePatches": patches(pod_patch(**before))}, SUSPENDED | {"runtimePatches": patches(after)})
        for before, after in (
            ({"serviceAccountName": "a"}, pod_patch(serviceAccountName="b")),
            ({"containers": [{"name": "node"}]}, pod_patch(containers=[])),
            ({"containers": [{"name": "node"}]}, pod_patch()),
            ({"volumes": [{"name": "a", "emptyDir": {}}]}, pod_patch(volumes=[{"name": "b", "emptyDir": {}}])),
            ({"nodeSelector": {"a": "1"}}, pod_patch(nodeSelector={"a": "2"})),
        )
    ),
]
"""Specs of a TrainJob before and after an update, without the reference to the runtime."""


def test_updates_with_violations_are_rejected_and_others_are_not(places: Any) -> None:
    wrong = []
    for before, after in UPDATES:
        old, new = train_job(**before), train_job(**after)
        place: Place = places(Sample(old, runtime()))
        assert place.submit() is None
        reference = {"name": "mine", "kind": "TrainingRuntime"}
        reason = place.update({**new.to_manifest()["spec"], "runtimeRef": reference})
        found = train_job_update_violations(old, new)
        print(f"{before} -> {after}: {reason}")
        # JobSet's pods may be active, in a cluster that is quick.
        active = reason is not None and "still active" in reason
        if (reason is None) == bool(found) and not active:
            wrong.append(f"{before} -> {after}: {list(map(str, found))}, {reason}")
    assert wrong == []
