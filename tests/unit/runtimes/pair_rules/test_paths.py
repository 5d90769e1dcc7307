"""Errors in the JobSet are reported at the field of the TrainJob that causes them."""

from typing import Any

import pytest

from components.runtimes.explain import RELEASES
from components.runtimes.pair_rules.pair import Pair
from components.runtimes.pair_rules.paths import train_job_path

from ..explain.pairs import job, runtime, train_job
from .samples import patches, pod_patch

DATASET = "dataset-initializer"
RUNTIME = runtime(
    job(DATASET, DATASET),
    job(
        pod={"initContainers": [{"name": "prepare", "image": "a:1"}]}, container={"env": [{"name": "R", "value": "1"}]}
    ),
    job("other", None),
    policy={"torch": {}},
)
POD = "spec.template.spec.replicatedJobs[{}].template.spec.template.spec"
PATCH = "spec.runtimePatches[0].trainingRuntimeSpec.template.spec.replicatedJobs[0]"
PARALLELISM = "spec.template.spec.replicatedJobs[1].template.spec.parallelism"
LIMITS = {"resourcesPerNode": {"limits": {"cpu": "1"}}}


def env(*names: str) -> dict[str, Any]:
    return {"env": [{"name": name, "value": "1"} for name in names]}


def path(inside: str, index: int = 1, **spec: Any) -> str:
    pair = Pair(train_job(**spec), RELEASES["2.3.0"], RUNTIME)
    assert pair.result is not None
    return train_job_path(pair, f"{POD.format(index)}.{inside}")


@pytest.mark.parametrize(
    ("inside", "trainer", "expected"),
    [
        ("containers[0].image", {"image": "a:2"}, "spec.trainer.image"),
        ("containers[0].command[1]", {"command": ["a", "b"]}, "spec.trainer.command[1]"),
        ("containers[0].args[0]", {"args": ["a"]}, "spec.trainer.args[0]"),
        ("containers[0].env[1].valueFrom", env("A"), "spec.trainer.env[0].valueFrom"),
        ("containers[0].resources.limits[cpu]", LIMITS, "spec.trainer.resourcesPerNode.limits[cpu]"),
        ("containers[0].resources.requests[cpu]", LIMITS, "spec.trainer.resourcesPerNode"),
        ("containers[0].resources", LIMITS, "spec.trainer.resourcesPerNode"),
        # What the TrainJob does not set is the runtime's.
        ("containers[0].image", {}, "spec.runtimeRef.name"),
        ("containers[0].env[0]", env("A"), "spec.runtimeRef.name"),
        ("containers[0].ports[0]", {"image": "a:2", **LIMITS}, "spec.runtimeRef.name"),
        ("initContainers[0].image", {"image": "a:2"}, "spec.runtimeRef.name"),
        ("volumes[0]", {"image": "a:2"}, "spec.runtimeRef.name"),
    ],
)
def test_path_in_the_trainer_section(inside: str, trainer: dict[str, Any], expected: str) -> None:
    assert path(inside, trainer=trainer) == expected


def test_trainer_section_is_for_the_trainers_job() -> None:
    assert path("containers[0].image", 2, trainer={"image": "a:2"}) == "spec.runtimeRef.name"


def test_path_in_the_initializer_section() -> None:
    assert path("containers[0].env[0]", 0, initializer={"dataset": env("A")}) == "spec.initializer.dataset.env[0]"
    assert path("containers[0].image", 0, initializer={"dataset": env("A")}) == "spec.runtimeRef.name"
    assert path("containers[0].image", 0, initializer={"model": env("A")}) == "spec.runtimeRef.name"


def test_number_of_pods_is_the_trainers() -> None:
    pair = Pair(train_job(trainer={"numNodes": 3}), RELEASES["2.3.0"], RUNTIME)

    assert train_job_path(pair, PARALLELISM) == "spec.trainer.numNodes"
    assert (
        train_job_path(Pair(train_job(trainer={}), RELEASES["2.3.0"], RUNTIME), PARALLELISM) == "spec.runtimeRef.name"
    )


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("containers[0].volumeMounts[0].name", f"{PATCH}.template.spec.template.spec.containers[0]"),
        ("initContainers[0].volumeMounts[0].name", f"{PATCH}.template.spec.template.spec.initContainers[0]"),
        ("securityContext.fsGroup", PATCH),
    ],
)
def test_path_in_a_patch(inside: str, expected: str) -> None:
    patch = pod_patch(containers=[{"name": "node"}], initContainers=[{"name": "prepare"}])

    assert path(inside, runtimePatches=patches(patch)) == expected
    assert path(inside, runtimePatches=patches(pod_patch("other"))) == "spec.runtimeRef.name"


def test_path_outside_the_jobs_is_the_runtimes() -> None:
    pair = Pair(train_job(), RELEASES["2.3.0"], RUNTIME)

    assert train_job_path(pair, "spec.template.spec.network.subdomain") == "spec.runtimeRef.name"
    assert train_job_path(Pair(train_job(), RELEASES["2.3.0"]), f"{POD.format(0)}.volumes") == "spec.runtimeRef.name"
