"""Pairs of a runtime and a TrainJob, the same ones each time."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

from components.k8s.invalid import InvalidRuntimeError
from components.runtimes import ClusterTrainingRuntime, catalog
from components.runtimes.train_job import TrainJob
from tests.unit.runtimes.recorded import corpus

from .workload import RUNS

API_VERSION = "trainer.kubeflow.org/v1alpha1"

OPTIONS: dict[str, Callable[[Random], Any]] = {
    "nodes": lambda random: random.randint(1, 3),
    "gpus_per_node": lambda random: random.choice([1, 2, 8]),
    "cpus_per_node": lambda random: random.choice(["500m", 1, 4]),
    "memory_per_node": lambda random: random.choice(["1Gi", "2000M"]),
    "env": lambda _: {"A": "1", "B": "two words"},
    "service_account": lambda _: "default",
    "priority_class": lambda _: "system-cluster-critical",
}
FRAMEWORKS = (catalog.torch, catalog.deepspeed, catalog.mlx, catalog.jax, catalog.xgboost, catalog.flux)
STANDARD = [case["object"] for case in corpus() if case["stored"] and case["verdict"] in ("ok", "silent-misbehaviour")]
"""Runtimes that the API server stored, and whose TrainJobs got a JobSet."""


class Pair(NamedTuple):
    """A runtime and a TrainJob, with the same name."""

    runtime: ClusterTrainingRuntime
    train_job: TrainJob

    @property
    def name(self) -> str:
        """The name of both."""
        return str(self.train_job.metadata.name)


def pairs(count: int, seed: int) -> Iterator[Pair]:
    """Pairs with the names p00000, p00001, ..."""
    random = Random(seed)  # noqa: S311 - a repeatable choice
    made = 0
    while made < count:
        name = f"p{made:05}"
        try:
            pair = Pair(_runtime(random, name), _train_job(random, name))
        except InvalidRuntimeError:
            continue
        made += 1
        yield pair


def _some(random: Random, choices: dict[str, Callable[[Random], Any]], most: int) -> dict[str, Any]:
    chosen = random.sample(sorted(choices), random.randint(0, most))
    return {name: choices[name](random) for name in chosen}


def _runtime(random: Random, name: str) -> ClusterTrainingRuntime:
    if random.random() < 0.5:
        build = random.choice(FRAMEWORKS)
        options = _some(random, OPTIONS, 3)
        return build(name=name, like_upstream=random.random() < 0.3, **options)
    manifest = random.choice(STANDARD)
    metadata = {**manifest["metadata"], "name": name}
    return ClusterTrainingRuntime.from_manifest({**manifest, "metadata": metadata})


TRAINER: dict[str, Callable[[Random], Any]] = {
    "numNodes": lambda random: random.randint(1, 4),
    "numProcPerNode": lambda random: random.choice([1, 2, 4]),
    "image": lambda _: "registry.example.com/train:2",
    "args": lambda _: ["--epochs", "3"],
    "env": lambda _: [{"name": "A", "value": "of-the-job"}, {"name": "NEW", "value": ""}],
    "resourcesPerNode": lambda random: random.choice(
        [
            {"limits": {"cpu": "2"}},
            {"requests": {"cpu": "250m", "memory": "1Gi"}, "limits": {"nvidia.com/gpu": "2"}},
            {"requests": {"memory": "512Mi"}},
        ]
    ),
}
POD: dict[str, Callable[[Random], Any]] = {
    "nodeSelector": lambda _: {"kubernetes.io/os": "linux"},
    "tolerations": lambda _: [{"key": "nvidia.com/gpu", "operator": "Exists"}],
    "volumes": lambda _: [{"name": "added", "emptyDir": {}}],
    "containers": lambda _: [{"name": "node", "env": [{"name": "P", "value": "patched"}]}],
    "serviceAccountName": lambda _: "default",
    "imagePullSecrets": lambda _: [{"name": "pull"}],
}
SPEC: dict[str, Callable[[Random], Any]] = {
    "suspend": lambda _: True,
    "runtimePatches": lambda random: [_patch(random)],
}


def _patch(random: Random) -> dict[str, Any]:
    template = {"spec": {"template": {"spec": _some(random, POD, 3)}}}
    jobset: dict[str, Any] = {"spec": {"replicatedJobs": [{"name": "node", "template": template}]}}
    if random.random() < 0.4:
        jobset["metadata"] = {"labels": {"patch": "1"}, "annotations": {"patch": "2"}}
    return {"manager": "example.com/tests", "trainingRuntimeSpec": {"template": jobset}}


def _train_job(random: Random, name: str) -> TrainJob:
    spec = {"runtimeRef": {"name": name}, **_some(random, SPEC, 2)}
    if random.random() < 0.9:
        # Pods run until they are deleted.
        spec["trainer"] = {"command": RUNS, **_some(random, TRAINER, 4)}
    metadata: dict[str, Any] = {"name": name, "namespace": "default"}
    if random.random() < 0.3:
        metadata |= {"labels": {"team": "vision"}, "annotations": {"note": "x"}}
    return TrainJob.from_manifest({"apiVersion": API_VERSION, "kind": "TrainJob", "metadata": metadata, "spec": spec})
