"""What the project is for: the launcher is created when every worker is ready, and not before."""

import os
from collections.abc import Callable
from typing import Any

import pytest
from kubeflow.common.types import KubernetesBackendConfig
from kubeflow.trainer import CustomTrainer, TrainerClient

from components.runtimes import deepspeed, mlx
from tools.train_job_timeline import Timeline, TimelineEvent

from .conftest import Platform

RUNS = 10 if "SOAK" in os.environ else 2
NODES = 4
FRAMEWORKS: dict[str, Callable[..., Any]] = {"deepspeed": deepspeed, "mlx": mlx}


@pytest.fixture(params=range(RUNS))
def run(request: pytest.FixtureRequest) -> int:
    """Which run of the same test it is: what depends on time is not seen in one."""
    return int(request.param)


def training() -> None:
    print("training")


def submit(platform: Platform, runtime: str) -> tuple[TrainerClient, Timeline, str]:
    """A TrainJob of four nodes, submitted as a user does."""
    client = TrainerClient(KubernetesBackendConfig(namespace="default", config_file=str(platform.kubeconfig)))
    timeline = Timeline(platform.kubeconfig, "default")
    name = client.train(runtime=client.get_runtime(runtime), trainer=CustomTrainer(func=training, num_nodes=NODES))
    return client, timeline, name


def readiness_of_workers(moments: list[TimelineEvent]) -> list[TimelineEvent]:
    return [m for m in moments if m.kind == "Pod" and m.what == "Ready" and "-node-" in m.name]


def assert_launcher_came_last(timeline: Timeline, name: str) -> None:
    assert timeline.wait("TrainJob", name, "Complete", 60), timeline.moments(name)
    moments = timeline.moments(name)
    workers = readiness_of_workers(moments)
    launcher = next(m for m in moments if (m.kind, m.name, m.what) == ("Job", f"{name}-launcher-0", "created"))
    assert len(workers) == NODES - 1
    assert max(worker.revision for worker in workers) < launcher.revision


def create_runtime(platform: Platform, manifest: dict[str, Any]) -> None:
    runtimes = platform.cluster().resources.get(
        api_version="trainer.kubeflow.org/v1alpha1", kind="ClusterTrainingRuntime"
    )
    runtimes.create(body=manifest)


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_launcher_is_created_after_the_last_worker_is_ready(platform: Platform, framework: str) -> None:
    client, timeline, name = submit(platform, f"{framework}-distributed")
    assert_launcher_came_last(timeline, name)
    seconds = [worker.seconds for worker in readiness_of_workers(timeline.moments(name))]
    assert max(seconds) - min(seconds) > 1, "the workers must come up one after the other for this to say anything"
    assert client.get_job(name).status == "Complete"


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_trainjob_ends_although_the_workers_keep_running(platform: Platform, framework: str) -> None:
    _, timeline, name = submit(platform, f"{framework}-distributed")
    assert timeline.wait("TrainJob", name, "Complete", 60)
    ended = {(m.kind, m.what) for m in timeline.moments(name) if m.name.startswith(f"{name}-node-")}
    assert ("Pod", "Ready") in ended
    assert ("Job", "Complete") not in ended


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_launcher_without_dependency_starts_too_early(platform: Platform, framework: str) -> None:
    manifest = FRAMEWORKS[framework](name=f"{framework}-without-wait").to_manifest()
    launcher = manifest["spec"]["template"]["spec"]["replicatedJobs"][1]
    del launcher["dependsOn"]
    create_runtime(platform, manifest)
    _, timeline, name = submit(platform, f"{framework}-without-wait")
    assert timeline.wait("TrainJob", name, "Complete", 60), timeline.moments(name)
    launcher = next(m for m in timeline.moments(name) if (m.name, m.what) == (f"{name}-launcher-0", "created"))
    before = [worker for worker in readiness_of_workers(timeline.moments(name)) if worker.revision < launcher.revision]
    assert before == []


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_launcher_is_not_created_if_a_worker_never_gets_ready(platform: Platform, framework: str) -> None:
    manifest = FRAMEWORKS[framework](name=f"{framework}-never-ready").to_manifest()
    node = manifest["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]
    node["metadata"] = {"annotations": {"training-platform/ready-after": "0s,0s,24h"}}
    create_runtime(platform, manifest)
    _, timeline, name = submit(platform, f"{framework}-never-ready")
    assert timeline.wait("Job", f"{name}-node-0", "created", 30)
    assert not timeline.wait("Job", f"{name}-launcher-0", "created", 12)
    assert len(readiness_of_workers(timeline.moments(name))) == NODES - 2
