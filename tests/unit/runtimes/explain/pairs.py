"""Small runtimes and TrainJobs for tests of explanations."""

from collections.abc import Mapping
from typing import Any

from components.runtimes.api import BaseTrainingRuntime
from components.runtimes.explain import LATEST, Explanation, explain
from components.runtimes.train_job import TrainJob

Manifest = dict[str, Any]

VERSIONS = ("2.0.0", "2.2.0", "2.3.0")


def job(name: str = "node", ancestor: str | None = "trainer", **fields: Any) -> Manifest:
    """A replicated job with one container of the job's name, or `node` where a launcher runs."""
    container = {"name": "node" if name == "launcher" else name, "image": "a:1", **fields.pop("container", {})}
    metadata = {"metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": ancestor}}} if ancestor else {}
    pod = {"containers": [container], **fields.pop("pod", {})}
    spec = {"template": {"spec": pod}, **fields.pop("spec", {})}
    return {"name": name, "template": {**metadata, "spec": spec}, **fields}


def runtime(
    *jobs: Manifest,
    policy: Manifest | None = None,
    gang: Manifest | None = None,
    name: str = "mine",
    metadata: Manifest | None = None,
    **spec: Any,
) -> BaseTrainingRuntime:
    """A runtime of these jobs, or of one that trains. The rules are not applied: what they forbid is explained too."""
    template = {"spec": {"replicatedJobs": [*jobs] or [job()], **spec}, **({"metadata": metadata} if metadata else {})}
    manifest = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": name},
        "spec": {
            **({"mlPolicy": policy} if policy is not None else {}),
            **({"podGroupPolicy": gang} if gang is not None else {}),
            "template": template,
        },
    }
    return BaseTrainingRuntime.model_validate(manifest, by_alias=True)


def train_job(name: str = "tj", namespace: str | None = None, runtime_name: str = "mine", **spec: Any) -> TrainJob:
    """A TrainJob."""
    manifest = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": name, **({"namespace": namespace} if namespace else {})},
        "spec": {"runtimeRef": {"name": runtime_name}, **spec},
    }
    return TrainJob.from_manifest(manifest)


def explained(made: BaseTrainingRuntime, version: str = LATEST, **spec: Any) -> Explanation:
    """The explanation of a runtime with a TrainJob `tj` of this spec."""
    return explain(made, train_job(runtime_name=made.metadata.name or "", **spec), trainer=version)


def container(explanation: Explanation, job_name: str = "node", name: str = "node") -> Manifest:
    """A container of the JobSet that Trainer applies."""
    for each in explanation.applied[0]["spec"]["replicatedJobs"]:
        if each["name"] == job_name:
            pod = each["template"]["spec"]["template"]["spec"]
            for found in (*pod.get("initContainers", ()), *pod["containers"]):
                if found["name"] == name:
                    manifest: Manifest = found
                    return manifest
    raise LookupError(name)


def variables(explanation: Explanation, job_name: str = "node", name: str = "node") -> Mapping[str, str]:
    """The variables that a container of the JobSet has, with their values."""
    found = container(explanation, job_name, name).get("env", ())
    return {each["name"]: each.get("value", str(each.get("valueFrom", ""))) for each in found}


def of_kind(explanation: Explanation, kind: str) -> list[Manifest]:
    """The objects of a kind."""
    return [each for each in explanation.objects() if each["kind"] == kind]
