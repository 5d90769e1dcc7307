"""The engine killed at many points of what it does, and an API server that goes away and comes back: `make soak`."""

import os
import signal
import time

import pytest
from kubernetes import client, config

from tools.local_cluster.cluster import NAME

from .conftest import Platform
from .kill_engine import kill_during, steps
from .stack_objects import OURS, counts, present, trainjobs
from .user_objects import API, suspended

pytestmark = pytest.mark.skipif("SOAK" not in os.environ, reason="thirty kills: make soak")

POINTS = 10


def points(output: str) -> list[int]:
    """Steps at which to kill what printed this, spread over it."""
    total = steps(output)
    return sorted({max(1, round(total * (index + 0.5) / POINTS)) for index in range(POINTS)})


@pytest.fixture
def used_platform(changed_platform: Platform) -> Platform:
    """A platform that is up, where a TrainJob of a user waits."""
    changed_platform.succeed("up")
    if "of-a-user" not in changed_platform.names(API, "TrainJob"):
        trainjobs(changed_platform).create(body=suspended(), namespace="default")
    return changed_platform


def nothing_twice_nothing_lost(platform: Platform) -> None:
    assert present(platform) == OURS
    assert set(counts(platform.succeed("preview"))) == {"unchanged"}
    assert set(counts(platform.succeed("refresh"))) == {"unchanged"}
    assert trainjobs(platform).get(name="of-a-user", namespace="default").spec.trainer.numNodes == 2
    assert not list((platform.project / ".local").glob("scratch-*")), "credentials are left behind"


def test_up_continues_after_a_killed_up(used_platform: Platform) -> None:
    platform = used_platform
    platform.succeed("destroy")
    output = platform.succeed("up")
    for step in points(output):
        platform.succeed("destroy")
        print("up killed at", step, kill_during(platform, "up", step), flush=True)
        platform.succeed("up")
        nothing_twice_nothing_lost(platform)


def test_up_recovers_from_a_killed_destroy(used_platform: Platform) -> None:
    platform = used_platform
    output = platform.succeed("destroy")
    platform.succeed("up")
    for step in points(output):
        print("destroy killed at", step, kill_during(platform, "destroy", step), flush=True)
        platform.succeed("up")
        nothing_twice_nothing_lost(platform)


def test_up_continues_after_a_killed_update(used_platform: Platform) -> None:
    platform, before = used_platform, used_platform.sections("jobset", "trainer", "runtimes")

    def change(mark: str) -> None:
        labels = {"commonLabels": {"mark": mark}}
        deepspeed = {**before["runtimes"]["deepspeed-distributed"], "failurePolicy": {"maxRestarts": len(mark)}}
        platform.edit(
            jobset={**before["jobset"], **labels},
            trainer={**before["trainer"], **labels},
            runtimes={**before["runtimes"], "deepspeed-distributed": deepspeed},
        )

    change("a")
    output = platform.succeed("up")
    for index, step in enumerate(points(output)):
        change("b" * (index + 2))
        print("update killed at", step, kill_during(platform, "up", step), flush=True)
        platform.succeed("up")
        nothing_twice_nothing_lost(platform)
    platform.edit(**before)
    platform.succeed("up")


def test_an_api_server_that_goes_away_during_an_up_is_waited_for_or_named(used_platform: Platform) -> None:
    platform, before = used_platform, used_platform.sections("jobset")
    pids = platform.project / ".local" / "kwok" / "clusters" / NAME / "pids" / "kube-apiserver.pid"
    for index in range(POINTS):
        platform.edit(jobset={**before["jobset"], "commonLabels": {"round": str(index)}})
        process = platform.start("up")
        assert process.stdout
        seen = ""
        for line in process.stdout:
            seen += line
            if steps(seen) > index:
                break
        os.kill(int(pids.read_text()), signal.SIGSTOP)
        time.sleep(5)  # it is away for that long: what is tested is time
        os.kill(int(pids.read_text()), signal.SIGCONT)
        rest, _ = process.communicate()
        print("API server stopped at", index + 1, "up ended with", process.returncode, flush=True)
        assert "Traceback" not in seen + rest
        if process.returncode != 0:
            assert "error:" in seen + rest
            platform.succeed("up")
        assert present(platform) == OURS
        assert set(counts(platform.succeed("preview"))) == {"unchanged"}
    platform.edit(**before)
    platform.succeed("up")
    core = client.CoreV1Api(config.new_client_from_config(str(platform.kubeconfig)))
    assert core.read_namespaced_config_map("training-platform", "kubeflow-system")
