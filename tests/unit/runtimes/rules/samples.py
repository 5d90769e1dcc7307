"""Sound runtimes to start from, and changes to them."""

import re
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from components.runtimes import ClusterTrainingRuntime, InvalidRuntimeError, TrainingRuntime
from components.validation.violation import Severity, Violation

Manifest = dict[str, Any]
Changes = Mapping[str, Any]
"""New values by path, as violations write paths; None takes a field out, an index one past the end appends."""

ANCESTOR = "trainer.kubeflow.org/trainjob-ancestor-step"
FRAMEWORK = "trainer.kubeflow.org/framework"
JOBSET = "spec.template.spec"


def job(index: int) -> str:
    return f"{JOBSET}.replicatedJobs[{index}]"


def spec(index: int) -> str:
    return f"{job(index)}.template.spec"


def pod(index: int) -> str:
    return f"{spec(index)}.template.spec"


def container(index: int, number: int = 0) -> str:
    return f"{pod(index)}.containers[{number}]"


def init(index: int, number: int = 0) -> str:
    return f"{pod(index)}.initContainers[{number}]"


def a_job(name: str, *containers: Manifest, step: str | None = None, **fields: Any) -> Manifest:
    template: Manifest = {"spec": {"template": {"spec": {"containers": list(containers)}}}}
    if step:
        template["metadata"] = {"labels": {ANCESTOR: step}}
    return {"name": name, "template": template, **fields}


def a_container(name: str = "node", **fields: Any) -> Manifest:
    return {"name": name, "image": "example.com/train:1", **fields}


def a_runtime(name: str, framework: str, policy: Manifest, *jobs: Manifest, **jobset: Any) -> Manifest:
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": name, "labels": {FRAMEWORK: framework}},
        "spec": {
            "mlPolicy": {"numNodes": 1, **policy},
            "template": {"spec": {"replicatedJobs": list(jobs), **jobset}},
        },
    }


TORCH = a_runtime("torch", "torch", {"torch": {}}, a_job("node", a_container(), step="trainer"))
JAX = a_runtime("jax", "jax", {"jax": {}}, a_job("node", a_container(), step="trainer"))
XGBOOST = a_runtime("xgboost", "xgboost", {"xgboost": {}}, a_job("node", a_container(), step="trainer"))
FLUX = a_runtime("flux", "flux", {"flux": {}}, a_job("node", a_container(), step="trainer"))
PLAIN = a_runtime("plain", "plain", {}, a_job("node", a_container(), step="trainer"))

HELPED = a_runtime(
    "helped",
    "torch",
    {"torch": {}},
    a_job("helper", a_container("helper", command=["prepare"])),
    a_job("node", a_container(), step="trainer"),
)
"""Torch with a job that is not the trainer's, listed first."""

_SSHD = a_container(
    command=["/usr/sbin/sshd"],
    args=["-De"],
    securityContext={"runAsUser": 1000},
    readinessProbe={"tcpSocket": {"port": 2222}},
)
MPI = a_runtime(
    "mpi",
    "deepspeed",
    {"mpi": {"numProcPerNode": 1, "runLauncherAsNode": True, "sshAuthMountPath": "/home/mpiuser/.ssh"}},
    a_job("node", _SSHD),
    a_job(
        "launcher",
        a_container(securityContext={"runAsUser": 1000}),
        step="trainer",
        dependsOn=[{"name": "node", "status": "Ready"}],
    ),
    successPolicy={"operator": "All", "targetReplicatedJobs": ["launcher"]},
)
for _job in MPI["spec"]["template"]["spec"]["replicatedJobs"]:
    _job["template"]["spec"]["template"]["spec"]["securityContext"] = {"fsGroup": 1000}

_MOUNT = [{"name": "initializer", "mountPath": "/workspace"}]
TUNE = a_runtime(
    "torchtune-llama3.2-1b",
    "torchtune",
    {"torch": {}},
    a_job("dataset-initializer", a_container("dataset-initializer", volumeMounts=_MOUNT), step="dataset-initializer"),
    a_job("model-initializer", a_container("model-initializer", volumeMounts=_MOUNT), step="model-initializer"),
    a_job(
        "node",
        a_container(
            command=["tune", "run", "output_dir=/o", "tokenizer.path=/t", "checkpointer.checkpoint_dir=/c"],
            volumeMounts=_MOUNT,
        ),
        step="trainer",
        dependsOn=[
            {"name": "dataset-initializer", "status": "Complete"},
            {"name": "model-initializer", "status": "Complete"},
        ],
    ),
    volumeClaimPolicies=[
        {
            "templates": [
                {
                    "metadata": {"name": "initializer"},
                    "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "20Gi"}}},
                }
            ]
        }
    ],
)

SOUND = (TORCH, JAX, XGBOOST, FLUX, PLAIN, HELPED, MPI, TUNE)


@dataclass(frozen=True)
class Case:
    """A runtime that breaks one rule at one place, and a neighbour that does not."""

    rule: str
    path: str
    base: Manifest
    broken: Changes
    sound: Changes
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        return f"{self.rule} {self.path.removeprefix('spec.template.spec.')} {list(self.broken.values())[-1]!r:.60}"


def warns(rule: str, path: str, base: Manifest, broken: Changes, sound: Changes) -> Case:
    return Case(rule, path, base, broken, sound, Severity.WARNING)


def changed(manifest: Manifest, changes: Changes) -> Manifest:
    """A copy with other values at some paths."""
    copy = deepcopy(manifest)
    for path, value in changes.items():
        steps = [int(index) if index else name for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path)]
        last = steps[-1]
        place: Any = copy
        for step, following in pairwise(steps):
            if isinstance(step, int) and step == len(place):
                place.append({})
            elif isinstance(step, str) and step not in place:
                place[step] = [] if isinstance(following, int) else {}
            place = place[step]
        if value is None:
            del place[last]
        elif isinstance(last, int) and last == len(place):
            place.append(deepcopy(value))
        else:
            place[last] = deepcopy(value)
    return copy


def loose(manifest: Manifest) -> ClusterTrainingRuntime | TrainingRuntime:
    """The runtime of a manifest, without having asked the rules."""
    kind = TrainingRuntime if manifest["kind"] == "TrainingRuntime" else ClusterTrainingRuntime
    return kind.model_validate(manifest, by_alias=True, by_name=False)


def violations(manifest: Manifest, adopt: bool = False) -> tuple[Violation, ...]:
    """Everything that is said about a manifest, whether it stops or not."""
    kind = TrainingRuntime if manifest["kind"] == "TrainingRuntime" else ClusterTrainingRuntime
    try:
        return kind.from_manifest(manifest, adopt=adopt).check()
    except InvalidRuntimeError as invalid:
        return invalid.violations
