"""TrainJobs that Trainer rejects, or does not train as they read."""

from typing import Any

from components.runtimes.api import BaseTrainingRuntime
from components.validation.violation import Severity

from ...explain.pairs import job, runtime, train_job
from ..samples import Case, Sample, patches, pod_patch

REPLICATED_JOB = "spec.runtimePatches[0].trainingRuntimeSpec.template.spec.replicatedJobs[0]"
POD = f"{REPLICATED_JOB}.template.spec.template.spec"


def sample(made: BaseTrainingRuntime | None = None, **spec: Any) -> Sample:
    return Sample(train_job(**spec), made or runtime())


def old(made: BaseTrainingRuntime | None = None, **spec: Any) -> Sample:
    return sample(made, **spec)._replace(trainer="2.0.0")


def of_kind(kind: str, namespace: str | None = None, **metadata: Any) -> BaseTrainingRuntime:
    made = runtime()
    changed = made.metadata.model_copy(update={"namespace": namespace, **metadata})
    return made.model_copy(update={"kind": kind, "metadata": changed})


CLUSTER, NAMESPACED = of_kind("ClusterTrainingRuntime"), of_kind("TrainingRuntime", "default")
DEPRECATED = of_kind("ClusterTrainingRuntime", labels={"trainer.kubeflow.org/support": "deprecated"})
REFERENCES = (
    Case(
        "TJC-04",
        "spec.runtimeRef.kind",
        sample(runtimeRef={"name": "mine", "kind": "Runtime"}),
        sample(runtimeRef={"name": "mine", "kind": "ClusterTrainingRuntime"}),
    ),
    Case(
        "TJC-04",
        "spec.runtimeRef.apiGroup",
        sample(runtimeRef={"name": "mine", "apiGroup": "kubeflow.org"}),
        sample(runtimeRef={"name": "mine", "apiGroup": "trainer.kubeflow.org"}),
    ),
    Case(
        "TJC-05",
        "spec.runtimeRef.kind",
        sample(NAMESPACED, runtimeRef={"name": "mine"}),
        sample(NAMESPACED, runtimeRef={"name": "mine", "kind": "TrainingRuntime"}),
    ),
    Case(
        "TJC-05",
        "spec.runtimeRef.kind",
        sample(CLUSTER, runtimeRef={"name": "mine", "kind": "TrainingRuntime"}),
        sample(CLUSTER, runtimeRef={"name": "mine"}),
    ),
    Case(
        "TJC-05",
        "metadata.namespace",
        Sample(train_job(namespace="other", runtimeRef={"name": "mine", "kind": "TrainingRuntime"}), NAMESPACED),
        Sample(train_job(namespace="default", runtimeRef={"name": "mine", "kind": "TrainingRuntime"}), NAMESPACED),
    ),
    Case(
        "TJC-06",
        "spec.runtimeRef.name",
        sample(DEPRECATED),
        sample(CLUSTER),
        severity=Severity.WARNING,
        shows="never",
    ),
)

SIDECAR = runtime(job(pod={"initContainers": [{"name": "prepare", "image": "a:1"}]}))
PATCHES = (
    Case(
        "TJC-13",
        "spec.runtimePatches[0].manager",
        sample(runtimePatches=patches(pod_patch(), manager="me")),
        sample(runtimePatches=patches(pod_patch(), manager="example.com/me")),
    ),
    Case(
        "TJC-18",
        f"{REPLICATED_JOB}.name",
        sample(runtimePatches=patches(pod_patch("worker"))),
        sample(runtimePatches=patches(pod_patch("node"))),
    ),
    Case(
        "TJC-18",
        "spec.podSpecOverrides[0].targetJobs[0].name",
        old(podSpecOverrides=[{"targetJobs": [{"name": "worker"}]}]),
        old(podSpecOverrides=[{"targetJobs": [{"name": "node"}]}]),
    ),
    Case(
        "TJC-19",
        f"{POD}.containers[0].name",
        sample(runtimePatches=patches(pod_patch(containers=[{"name": "trainer"}]))),
        sample(runtimePatches=patches(pod_patch(containers=[{"name": "node"}]))),
    ),
    Case(
        "TJC-19",
        f"{POD}.initContainers[0].name",
        sample(SIDECAR, runtimePatches=patches(pod_patch(initContainers=[{"name": "prepared"}]))),
        sample(SIDECAR, runtimePatches=patches(pod_patch(initContainers=[{"name": "prepare"}]))),
    ),
    Case(
        "TJC-20",
        f"{POD}.containers[0].env",
        sample(runtimePatches=patches(pod_patch(containers=[{"name": "node", "env": [{"name": "A", "value": "1"}]}]))),
        sample(runtimePatches=patches(pod_patch(containers=[{"name": "node", "env": []}]))),
    ),
)

CASES = (*REFERENCES, *PATCHES)
