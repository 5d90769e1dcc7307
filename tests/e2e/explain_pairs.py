"""Pairs of a runtime and a TrainJob, the same ones each time."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

from components.k8s.invalid import InvalidRuntimeError
from components.runtimes import catalog
from components.runtimes.api import BaseTrainingRuntime
from components.runtimes.catalog import VolumeClaim
from components.runtimes.explain import RELEASES, Release
from components.runtimes.jobset import ReplicatedJob
from components.runtimes.train_job import TrainJob
from tests.unit.runtimes.recorded import corpus, published

from .explain_comparison import PRIORITY_CLASS
from .workload import RUNS

API_VERSION = "trainer.kubeflow.org/v1alpha1"

OPTIONS: dict[str, Callable[[Random], Any]] = {
    "nodes": lambda random: random.randint(1, 3),
    "gpus_per_node": lambda random: random.choice([1, 2, 8]),
    "cpus_per_node": lambda random: random.choice(["500m", 1, 4]),
    "memory_per_node": lambda random: random.choice(["1Gi", "2000M"]),
    "env": lambda _: {"A": "1", "B": "two words"},
    "service_account": lambda _: "default",
    "priority_class": lambda _: PRIORITY_CLASS,
    "shared_memory": lambda _: "2Gi",
    "claims": lambda _: {"/data": VolumeClaim(name="data", storage="1Ti")},
    "failure_policy": lambda _: {"maxRestarts": 2},
    "kueue_queue": lambda _: "queue",
}
FRAMEWORKS = (
    *(catalog.torch, catalog.deepspeed, catalog.mlx, catalog.jax, catalog.xgboost, catalog.flux),
    *(catalog.torchtune, catalog.torch_with_cache),
)
MAX_NODES = 100
"""Maximum number of nodes of a runtime: the local cluster creates all pods."""

FOUND = [
    *(
        case["object"]
        for case in corpus()
        if case["stored"]
        and case["verdict"] in ("ok", "silent-misbehaviour")
        and case["object"]["spec"].get("mlPolicy", {}).get("numNodes", 1) <= MAX_NODES
    ),
    *(
        manifest
        for verdict, manifests in published()
        for manifest in manifests
        if verdict["server_side_apply"] == "ok"
        and verdict["training"] in ("ok", "WARN")
        and manifest["kind"] == "ClusterTrainingRuntime"
    ),
]
"""Runtimes that the API server stored, and whose TrainJobs got a JobSet: those of the corpus, and those that people
published."""


class Pair(NamedTuple):
    """A runtime and a TrainJob, with the same name."""

    runtime: BaseTrainingRuntime
    train_job: TrainJob

    @property
    def name(self) -> str:
        """The name of both."""
        return str(self.train_job.metadata.name)


def pairs(count: int, seed: int, trainer: str) -> Iterator[Pair]:
    """Pairs for a version of Trainer, with the names p00000, p00001, ..."""
    release = RELEASES[trainer]
    random = Random(seed)  # noqa: S311 - a repeatable choice
    made = 0
    while made < count:
        name = f"p{made:05}"
        try:
            runtime = _runtime(random, name)
            if _loses_claims(runtime, release):
                continue
            pair = Pair(runtime, _train_job(random, runtime, name, release))
        except InvalidRuntimeError:
            continue
        made += 1
        yield pair


def _loses_claims(runtime: BaseTrainingRuntime, release: Release) -> bool:
    """Whether the release drops the claims of the runtime: Kubernetes rejects the Jobs, whose mounts have no volume."""
    jobset = runtime.spec.template.spec if runtime.spec.template else None
    has_claims = jobset is not None and jobset.volume_claim_policies is not None
    return has_claims and "spec.template.spec.volumeClaimPolicies" in release.unknown_runtime_fields


def _some(random: Random, choices: dict[str, Callable[[Random], Any]], most: int) -> dict[str, Any]:
    chosen = random.sample(sorted(choices), random.randint(0, most))
    return {name: choices[name](random) for name in chosen}


def _runtime(random: Random, name: str) -> BaseTrainingRuntime:
    if random.random() < 0.5:
        build = random.choice(FRAMEWORKS)
        options = _some(random, OPTIONS, 3)
        return build(name=name, like_upstream=random.random() < 0.3, **options)
    manifest = random.choice(FOUND)
    metadata = {**manifest["metadata"], "name": name}
    # The rules are not asked: the controllers act on runtimes that break them too.
    return BaseTrainingRuntime.model_validate({**manifest, "metadata": metadata}, by_alias=True, by_name=False)


TRAINER: dict[str, Callable[[Random], Any]] = {
    "numNodes": lambda random: random.randint(1, 4),
    "numProcPerNode": lambda random: random.choice([1, 2, 4]),
    "image": lambda _: "registry.example.com/train:2",
    "args": lambda _: ["--epochs", "3"],
    "env": lambda _: [{"name": "A", "value": "of-the-job"}, {"name": "NEW", "value": ""}],
    "resourcesPerNode": lambda random: random.choice(
        [
            {"limits": {"cpu": "16"}},
            {"requests": {"cpu": "250m", "memory": "1Gi"}, "limits": {"nvidia.com/gpu": "2"}},
            {"requests": {"memory": "512Mi"}},
        ]
    ),
}
POD: dict[str, Callable[[Random], Any]] = {
    "nodeSelector": lambda _: {"kubernetes.io/os": "linux"},
    "tolerations": lambda _: [{"key": "nvidia.com/gpu", "operator": "Exists"}],
    "volumes": lambda _: [{"name": "added", "emptyDir": {}}],
    "serviceAccountName": lambda _: "default",
    "imagePullSecrets": lambda _: [{"name": "pull"}],
}
RESERVED = ("node", "dataset-initializer", "model-initializer")
"""Containers whose variables a patch may not change: Trainer's webhook."""

SOURCE: dict[str, Callable[[Random], Any]] = {
    "storageUri": lambda random: random.choice(["hf://a/b", "s3://bucket/folder"]),
    "env": lambda _: [{"name": "STORAGE_URI", "value": "of-the-env"}, {"name": "MORE", "value": "1"}],
    "secretRef": lambda _: {"name": "credentials"},
}


def _train_job(random: Random, runtime: BaseTrainingRuntime, name: str, release: Release) -> TrainJob:
    spec: dict[str, Any] = {"runtimeRef": {"name": name}}
    if random.random() < 0.9:
        # Pods run until they are deleted.
        spec["trainer"] = {"command": RUNS, **_some(random, TRAINER, 4)}
    if random.random() < 0.3:
        spec["suspend"] = True
    jobs = _jobs(runtime)
    if jobs and random.random() < 0.3:
        spec |= _patches(random, runtime, release)
    sources = {kind: _some(random, SOURCE, 3) for kind in ("dataset", "model") if f"{kind}-initializer" in jobs}
    if sources and random.random() < 0.7:
        spec["initializer"] = sources
    metadata: dict[str, Any] = {"name": name, "namespace": "default"}
    if random.random() < 0.3:
        metadata |= {"labels": {"team": "vision"}, "annotations": {"note": "x"}}
    return TrainJob.from_manifest({"apiVersion": API_VERSION, "kind": "TrainJob", "metadata": metadata, "spec": spec})


def _jobs(runtime: BaseTrainingRuntime) -> dict[str, ReplicatedJob]:
    """The replicated jobs by name."""
    jobset = runtime.spec.template and runtime.spec.template.spec
    return {job.name: job for job in (jobset and jobset.replicated_jobs) or ()}


def _patches(random: Random, runtime: BaseTrainingRuntime, release: Release) -> dict[str, Any]:
    """The field that changes the pods of one of the runtime's jobs, by the version of Trainer."""
    name, job = random.choice([*_jobs(runtime).items()])
    pod = _some(random, POD, 3)
    template = job.template.spec and job.template.spec.template
    containers = [each.name for each in (template and template.spec and template.spec.containers) or ()]
    if containers and random.random() < 0.5:
        mounts = [{"name": "added", "mountPath": "/added"}]
        patch: dict[str, Any] = {"name": random.choice(containers), "volumeMounts": mounts}
        if patch["name"] not in RESERVED:
            patch["env"] = [{"name": "P", "value": "patched"}]
        pod |= {"containers": [patch], "volumes": [{"name": "added", "emptyDir": {}}]}
    labels = random.random() < 0.4
    if release.patches == "podSpecOverrides":
        pod.pop("imagePullSecrets", None)
        changed = {"labels": {"patch": "1"}, "annotations": {"patch": "2"}} if labels else {}
        return {"podSpecOverrides": [{"targetJobs": [{"name": name}], **pod}], **changed}
    changed_job = {"name": name, "template": {"spec": {"template": {"spec": pod}}}}
    jobset: dict[str, Any] = {"spec": {"replicatedJobs": [changed_job]}}
    if labels:
        jobset["metadata"] = {"labels": {"patch": "1"}, "annotations": {"patch": "2"}}
    return {"runtimePatches": [{"manager": "example.com/tests", "trainingRuntimeSpec": {"template": jobset}}]}
