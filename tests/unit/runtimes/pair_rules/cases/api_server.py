"""TrainJobs that the API server rejects by the CRD."""

from typing import Any

from components.validation.violation import Severity

from ...explain.pairs import job, runtime, train_job
from ..samples import Case, Sample, patches, pod_patch

REPLICATED_JOB = "spec.runtimePatches[0].trainingRuntimeSpec.template.spec.replicatedJobs[0]"
POD = f"{REPLICATED_JOB}.template.spec.template.spec"


def sample(*, trainer_version: str = "2.3.0", **spec: Any) -> Sample:
    return Sample(train_job(**spec), runtime(policy={"torch": {}}), trainer=trainer_version)


def uri(text: str, section: str = "dataset") -> dict[str, Any]:
    return {section: {"storageUri": text}}


def initialized(text: str, section: str = "dataset", trainer: str = "2.3.0") -> Sample:
    name = f"{section}-initializer"
    mounts = {"volumeMounts": [{"name": "initializer", "mountPath": "/workspace"}]}
    volumes = {"volumes": [{"name": "initializer", "emptyDir": {}}]}
    jobs = (job(name, name, container=mounts, pod=volumes), job())
    return Sample(train_job(initializer=uri(text, section)), runtime(*jobs), trainer=trainer)


def patched_pod(**pod: Any) -> Sample:
    return sample(runtimePatches=patches(pod_patch(**pod)))


def named(name: str) -> Sample:
    return Sample(train_job(name=name), runtime())


def referring(name: str) -> Sample:
    return Sample(train_job(runtime_name=name), runtime(name=name) if 0 < len(name) <= 253 else None)


CASES = (
    Case("TJC-01", "metadata.name", named("1-job"), named("job-1")),
    Case("TJC-01", "metadata.name", named("A"), named("a")),
    Case("TJC-01", "metadata.name", named("a" * 64), named("a" * 48)),
    Case("TJC-03", "spec.runtimeRef.name", referring(""), referring("mine")),
    Case("TJC-03", "spec.runtimeRef.name", referring("a" * 254), referring("a" * 253)),
    Case(
        "TJC-08",
        "spec.activeDeadlineSeconds",
        sample(activeDeadlineSeconds=0),
        sample(activeDeadlineSeconds=1),
    ),
    Case(
        "TJC-09",
        "spec.managedBy",
        sample(managedBy="example.com/mine"),
        sample(managedBy="kueue.x-k8s.io/multikueue"),
    ),
    Case("TJC-09", "spec.managedBy", sample(managedBy=""), sample()),
    Case(
        "TJC-10",
        "spec.initializer.dataset.storageUri",
        initialized("owner/name"),
        initialized("hf://owner/name"),
    ),
    Case(
        "TJC-10",
        "spec.initializer.model.storageUri",
        initialized("1s3://bucket", "model"),
        initialized("s3+a.b-c://bucket", "model"),
    ),
    Case("TJC-10", "spec.initializer.dataset.storageUri", initialized("hf://"), initialized("")),
    Case(
        "TJC-10",
        "spec.initializer.dataset.storageUri",
        initialized("s3://" + "a" * 2044),
        initialized("s3://" + "a" * 2043),
    ),
    Case(
        "TJC-11",
        "spec.trainer.image",
        sample(trainer={"image": "a" * 501}),
        sample(trainer={"image": "a" * 500}),
    ),
    Case(
        "TJC-11",
        "spec.trainer.args[1]",
        sample(trainer={"args": ["a", "a" * 1048577]}),
        sample(trainer={"args": ["a", "a" * 1048576]}),
    ),
    Case(
        "TJC-12",
        "spec.runtimePatches[0].manager",
        sample(runtimePatches=[{"manager": ""}]),
        sample(runtimePatches=[{"manager": "example.com/a"}]),
    ),
    Case(
        "TJC-12",
        "spec.runtimePatches[0].manager",
        sample(runtimePatches=[{"manager": "example.com/" + "a" * 242}]),
        sample(runtimePatches=[{"manager": "example.com/" + "a" * 241}]),
    ),
    Case(
        "TJC-12",
        f"{REPLICATED_JOB}.name",
        sample(runtimePatches=patches(pod_patch(""))),
        sample(runtimePatches=patches(pod_patch("node"))),
    ),
    Case(
        "TJC-12",
        f"{POD}.containers[0].name",
        patched_pod(containers=[{"name": ""}]),
        patched_pod(containers=[{"name": "node"}]),
    ),
    Case(
        "TJC-12",
        f"{POD}.serviceAccountName",
        patched_pod(serviceAccountName="a" * 254),
        patched_pod(serviceAccountName="default"),
    ),
    Case(
        "TJC-12",
        f"{POD}.terminationGracePeriodSeconds",
        patched_pod(terminationGracePeriodSeconds=-1),
        patched_pod(terminationGracePeriodSeconds=0),
    ),
    Case(
        "TJC-38",
        "spec.trainer.numProcPerNode",
        sample(trainer={"numProcPerNode": "auto"}),
        sample(trainer={"numProcPerNode": 2}),
    ),
    Case(
        "TJC-38",
        "spec.trainer.numProcPerNode",
        sample(trainer={"numProcPerNode": "all"}, trainer_version="2.0.0"),
        sample(trainer={"numProcPerNode": "auto"}, trainer_version="2.0.0"),
    ),
    Case(
        "TJC-39",
        "spec.podSpecOverrides",
        sample(podSpecOverrides=[{"targetJobs": [{"name": "node"}], "nodeSelector": {"a": "b"}}]),
        sample(runtimePatches=patches(pod_patch(nodeSelector={"a": "b"}))),
        shows="strict create",
    ),
    Case("TJC-39", "spec.labels", sample(labels={"a": "b"}), sample(), shows="strict create"),
    Case(
        "TJC-39",
        "spec.runtimePatches",
        sample(runtimePatches=patches(pod_patch()), trainer_version="2.0.0"),
        sample(podSpecOverrides=[{"targetJobs": [{"name": "node"}]}], trainer_version="2.0.0"),
    ),
    Case(
        "TJC-39",
        "spec.runtimePatches",
        sample(runtimePatches=patches(pod_patch(terminationGracePeriodSeconds=1)), trainer_version="2.2.0"),
        sample(runtimePatches=patches(pod_patch(terminationGracePeriodSeconds=1))),
    ),
    Case(
        "TJC-40",
        "spec.runtimeRef.name",
        Sample(train_job(), runtime(policy={"jax": {}}), trainer="2.0.0"),
        Sample(train_job(), runtime(policy={"torch": {}}), trainer="2.0.0"),
        severity=Severity.WARNING,
        shows="never",
    ),
)
