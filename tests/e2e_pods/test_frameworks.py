"""Frameworks on CPUs: each trains a small model over four pods by the runtime of the catalogue that is made for it."""

import json
import re

from tests.e2e.conftest import Platform

from .programs import train_with_deepspeed, train_with_mlx, train_with_torch
from .trainjob import NAMESPACE, TrainJob, submit

NODES = 4
STEPS = 20


def assert_learned_together(output: str, by: str, hosts: set[str]) -> None:
    """Every rank saw the same losses, which fell to less than half."""
    said = re.findall(r"rank (\d+) host (\S+) at 0 by (\S+) on (\d+): losses (\[.*?\])", output)
    assert sorted(int(rank) for rank, *_ in said) == list(range(NODES)), output
    assert {host for _, host, *_ in said} == hosts
    assert {(name, int(size)) for _, _, name, size, _ in said} == {(by, NODES)}
    losses = [json.loads(of_rank) for *_, of_rank in said]
    assert losses == [losses[0]] * NODES
    assert len(losses[0]) == STEPS
    assert losses[0][-1] < losses[0][0] / 2


def test_mlx_trains_over_mpi(platform: Platform) -> None:
    job = submit(platform, "mlx-trains", training=train_with_mlx)
    assert job.completes(), job.timeline.moments(job.name)
    assert_learned_together(job.output(), "MLX", job.hosts(NODES))
    assert job.launcher_restarts() == 0


def test_deepspeed_trains_with_zero_1(platform: Platform) -> None:
    job = submit(platform, "deepspeed-trains", training=train_with_deepspeed)
    assert job.completes(), job.timeline.moments(job.name)
    assert_learned_together(job.output(), "DeepSpeedZeroOptimizer", job.hosts(NODES))
    assert job.launcher_restarts() == 0


def test_torchrun_trains_with_trainers_environment(platform: Platform) -> None:
    # Without GPUs in the request Trainer has torchrun start one process for each CPU, rounded up.
    job = submit(platform, "torch-distributed", training=train_with_torch, resources={"cpu": "400m"})
    assert job.completes(), job.timeline.moments(job.name)
    hosts = {f"{job.name}-node-0-{index}" for index in range(NODES)}
    assert_learned_together(logs_of_nodes(job), "DistributedDataParallel", hosts)
    assert [status.restart_count for pod in job.pods("node") for status in pod.status.container_statuses] == [0] * NODES


def logs_of_nodes(job: TrainJob) -> str:
    """What all nodes printed; the SDK reads the first one's."""
    return "\n".join(job.core.read_namespaced_pod_log(pod.metadata.name, NAMESPACE) for pod in job.pods("node"))
