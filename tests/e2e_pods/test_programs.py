"""Programs as people write them: they talk with each other and write to a shared volume."""

import re
from pathlib import Path

from kubernetes import client

from tests.e2e.conftest import Platform
from tools.real_pods import STATE

from .programs import sum_up, write_checkpoint
from .runtimes import CHECKPOINTS
from .trainjob import NAMESPACE, submit

NODES = 4


def test_an_allreduce_ends_with_the_same_sum_on_all_pods(platform: Platform) -> None:
    job = submit(platform, "fair-share", training=sum_up)
    assert job.completes(), job.timeline.moments(job.name)
    assert set(job.ranks().values()) == job.hosts(NODES)
    assert re.findall(r"sum (\d+)", job.output()) == ["1111"] * NODES


def test_a_checkpoint_is_written_by_all_pods_to_a_shared_volume(platform: Platform) -> None:
    folder = STATE / "checkpoints"
    share(platform, folder)
    job = submit(platform, "shares-a-volume", training=write_checkpoint)
    assert job.completes(), job.timeline.moments(job.name)
    written = [line.split() for line in (folder / "step-1").read_text().splitlines()]
    assert {int(rank): host for rank, host in written} == job.ranks()
    assert re.findall(r"read (\d+)", job.output()) == [str(2 * NODES)] * NODES
    assert job.launcher_restarts() == 0


def share(platform: Platform, folder: Path) -> None:
    """A volume that many pods can write to: on one machine a folder is one."""
    folder.mkdir()
    folder.chmod(0o777)
    core = client.CoreV1Api(platform.cluster().client)
    name = CHECKPOINTS.strip("/")
    access = {"accessModes": ["ReadWriteMany"], "storageClassName": ""}
    core.create_persistent_volume(
        {
            "metadata": {"name": name},
            "spec": {**access, "capacity": {"storage": "1Gi"}, "hostPath": {"path": str(folder)}},
        }
    )
    request = {"resources": {"requests": {"storage": "1Gi"}}, "volumeName": name}
    core.create_namespaced_persistent_volume_claim(
        NAMESPACE, {"metadata": {"name": name}, "spec": {**access, **request}}
    )
