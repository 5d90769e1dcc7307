"""Creates pairs of a runtime and a TrainJob, and compares what the real controllers make of them with `explain`."""

import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from kubernetes.client import ApiException

from components.runtimes.explain import Explanation, explain
from components.runtimes.pair_rules import check_train_job
from components.validation.violation import only_errors

from .explain_comparison import Object, Server, compare, key_of
from .explain_pairs import Pair

BATCH = 20
"""Number of pairs that are there at the same time."""

TIMEOUT = 20.0
"""Seconds until everything that will be created is there."""

RUNTIMES = "/apis/trainer.kubeflow.org/v1alpha1/clustertrainingruntimes"
TRAIN_JOBS = "/apis/trainer.kubeflow.org/v1alpha1/namespaces/default/trainjobs"


@dataclass
class Outcome:
    """What came of pairs."""

    equal: Counter[str] = field(default_factory=Counter)
    """Number of objects that are as explained, by kind."""

    not_created: Counter[str] = field(default_factory=Counter)
    """Number of explained objects that their JobSet did not have yet or any more, by kind."""

    rejected: Counter[str] = field(default_factory=Counter)
    """Why objects were rejected, with the number of pairs."""

    invalid_jobs: list[str] = field(default_factory=list)
    """The pairs whose Jobs Kubernetes rejects, as the rules predict."""

    different: list[str] = field(default_factory=list)
    """The differences."""

    def __str__(self) -> str:
        """All figures and differences."""
        return "\n".join(
            (
                f"{self.equal.total()} objects are equal: {dict(self.equal)}",
                f"not created: {dict(self.not_created)}; rejected pairs: {self.rejected.total()}",
                f"Jobs that Kubernetes rejects, as predicted: {len(self.invalid_jobs)}",
                *self.different,
                *self.rejected,
            )
        )


def outcome(server: Server, generated: Iterator[Pair], trainer: str) -> Outcome:
    """Create pairs in batches and compare the objects of each."""
    result = Outcome()
    while batch := list(islice(generated, BATCH)):
        explanations: dict[str, Explanation] = {}
        invalid = [pair.name for pair in batch if has_invalid_jobs(pair, trainer)]
        result.invalid_jobs += invalid
        for pair in batch:
            if reason := submit(server, pair):
                result.rejected[reason[:300]] += 1
            else:
                explanations[pair.name] = explain(pair.runtime, pair.train_job, trainer=trainer)
        objects = wait(server, {name: each for name, each in explanations.items() if name not in invalid})
        objects |= objects_of(server, explanations.keys() & {*invalid})
        for name, explanation in explanations.items():
            explained = expected(explanation, objects[name], name in invalid)
            result.not_created.update(each["kind"] for each in explanation.objects())
            result.not_created.subtract(each["kind"] for each in explained)
            different = compare(server, explained, objects[name])
            result.different += [f"{name}: {each}" for each in different]
            keys = {each.partition(")")[0] for each in different}
            result.equal.update(each["kind"] for each in objects[name] if str(key_of(each)).rstrip(")") not in keys)
        clean(server, batch)
    return result


def submit(server: Server, pair: Pair) -> str | None:
    """Create both objects. Returns why one was rejected."""
    try:
        server.call("POST", RUNTIMES, pair.runtime.to_manifest())
    except ApiException as error:
        return str(error.body)
    deadline = time.monotonic() + TIMEOUT
    while True:
        try:
            server.call("POST", TRAIN_JOBS, pair.train_job.to_manifest())
        except ApiException as error:
            # Trainer rejects a TrainJob for a runtime that it has not seen yet.
            is_unknown = "must be created before" in str(error.body) or "not found" in str(error.body)
            if not is_unknown or time.monotonic() > deadline:
                return str(error.body)
            time.sleep(0.2)
        else:
            return None


def objects_of(server: Server, names: Iterable[str]) -> dict[str, list[Object]]:
    """The objects of each TrainJob."""
    objects: dict[str, list[Object]] = {name: [] for name in names}
    for each in server.objects():
        metadata = each["metadata"]
        # A Service is called as the subdomain of its JobSet.
        owners = [owner["name"] for owner in metadata.get("ownerReferences", ())]
        found = re.search(r"p\d{5}", " ".join((metadata["name"], *owners)))
        if found and found[0] in objects:
            objects[found[0]].append(each)
    return objects


def wait(server: Server, explanations: dict[str, Explanation]) -> dict[str, list[Object]]:
    """The objects, once all explained ones are there or the time is up."""
    wanted = {name: {key_of(each) for each in explained.objects()} for name, explained in explanations.items()}
    deadline = time.monotonic() + TIMEOUT
    while True:
        objects = objects_of(server, explanations)
        complete = all(keys <= {key_of(each) for each in objects[name]} for name, keys in wanted.items())
        if complete or time.monotonic() > deadline:
            return objects
        time.sleep(0.5)


def has_invalid_jobs(pair: Pair, trainer: str) -> bool:
    """Whether the rules predict that Kubernetes rejects a Job."""
    return any(
        each.rule.startswith("K8S-")
        for each in only_errors(check_train_job(pair.train_job, pair.runtime, trainer=trainer))
    )


def expected(explanation: Explanation, objects: list[Object], invalid_jobs: bool) -> list[Object]:
    """The explained objects, without Jobs and pods that their JobSet does not have yet or any more, and without those
    that Kubernetes rejects."""
    if invalid_jobs:
        return [each for each in explanation.objects() if each["kind"] not in ("Job", "Pod")]
    jobset = next((each for each in objects if each["kind"] == "JobSet"), None)
    there = {key_of(each) for each in objects}
    if jobset is None or all(
        each["ready"] + each["succeeded"] > 0 for each in jobset.get("status", {}).get("replicatedJobsStatus", ())
    ):
        return explanation.objects()
    return [each for each in explanation.objects() if each["kind"] not in ("Job", "Pod") or key_of(each) in there]


def clean(server: Server, batch: Iterable[Pair]) -> None:
    for pair in batch:
        for path in (TRAIN_JOBS, RUNTIMES):
            try:
                server.call("DELETE", f"{path}/{pair.name}")
            except ApiException as error:
                if error.status != 404:
                    raise
