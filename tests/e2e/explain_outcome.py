"""Creates pairs of a runtime and a TrainJob, and compares what the real controllers make of them with `explain`."""

import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from kubernetes.client import ApiException

from components.runtimes.explain import Explanation, explain

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

    different: list[str] = field(default_factory=list)
    """The differences."""

    def __str__(self) -> str:
        """All figures and differences."""
        return "\n".join(
            (
                f"{self.equal.total()} objects are equal: {dict(self.equal)}",
                f"not created: {dict(self.not_created)}; rejected pairs: {self.rejected.total()}",
                *self.different,
                *self.rejected,
            )
        )


def outcome(server: Server, generated: Iterator[Pair], trainer: str) -> Outcome:
    """Create pairs in batches and compare the objects of each."""
    result = Outcome()
    while batch := list(islice(generated, BATCH)):
        explanations = {}
        for pair in batch:
            if reason := submit(server, pair):
                result.rejected[reason[:300]] += 1
            else:
                explanations[pair.name] = explain(pair.runtime, pair.train_job, trainer=trainer)
        objects = wait(server, explanations)
        for name, explanation in explanations.items():
            explained = expected(explanation, objects[name])
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


def found(server: Server, names: Iterable[str]) -> dict[str, list[Object]]:
    """The objects of each TrainJob."""
    objects: dict[str, list[Object]] = {name: [] for name in names}
    for each in server.objects():
        owner = re.search(r"p\d{5}", each["metadata"]["name"])
        if owner and owner[0] in objects:
            objects[owner[0]].append(each)
    return objects


def wait(server: Server, explanations: dict[str, Explanation]) -> dict[str, list[Object]]:
    """The objects, once all explained ones are there or the time is up."""
    wanted = {name: {key_of(each) for each in explained.objects()} for name, explained in explanations.items()}
    deadline = time.monotonic() + TIMEOUT
    while True:
        objects = found(server, explanations)
        complete = all(keys <= {key_of(each) for each in objects[name]} for name, keys in wanted.items())
        if complete or time.monotonic() > deadline:
            return objects
        time.sleep(0.5)


def expected(explanation: Explanation, objects: list[Object]) -> list[Object]:
    """The explained objects, without Jobs and pods that their JobSet does not have yet or any more."""
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
