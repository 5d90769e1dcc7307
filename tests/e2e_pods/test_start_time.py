"""Where the time goes from a TrainJob to the first process of its training: a table for the docs, no judgement."""

import os
from statistics import median

import pytest

from tests.e2e.conftest import Platform

from .trainjob import TrainJob, submit

RUNS = 5
RUNTIMES = {"here": "deepspeed-distributed", "upstream": "deepspeed-like-upstream"}
# What ends each stage: the last moment of that kind, and of whose.
STAGES = {
    "Trainer and JobSet make the job of the workers": ("Job", "node-0", "created"),
    "its pods are scheduled": ("Pod", "node-0-", "PodScheduled"),
    "they have network and volumes": ("Pod", "node-0-", "PodReadyToStartContainers"),
    "sshd starts, the probe sees it": ("Pod", "node-0-", "Ready"),
    "Job, JobSet: the launcher's job is made": ("Job", "launcher-0", "created"),
    "its pod is scheduled": ("Pod", "launcher-0-", "PodScheduled"),
    "it has network and volumes": ("Pod", "launcher-0-", "PodReadyToStartContainers"),
    "init container: every host has an address": ("Pod", "launcher-0-", "Initialized"),
}
LAST = "mpirun, ssh, first rank; upstream with a failed try before"


def ends(job: TrainJob) -> dict[str, float]:
    """When each stage ended, in seconds from the submission."""
    moments = job.timeline.moments(job.name)
    begin = next(m.seconds for m in moments if m.kind == "TrainJob")
    found = {}
    for stage, (kind, name, what) in STAGES.items():
        wanted = [m for m in moments if (m.kind, m.what) == (kind, what) and m.name.startswith(f"{job.name}-{name}")]
        found[stage] = max(m.seconds for m in wanted) - begin
    return found | {LAST: job.seconds_to_first_rank()}


def durations(job: TrainJob) -> dict[str, float]:
    """How long each stage took."""
    at = ends(job)
    # Upstream has no init container: kubelet says Initialized before the network is there.
    starts = [0.0, *at.values()]
    highest = [max(starts[: index + 1]) for index in range(len(starts))]
    return {stage: max(0.0, end - before) for (stage, end), before in zip(at.items(), highest, strict=False)}


@pytest.mark.skipif("SOAK" not in os.environ, reason="it measures, for the docs: SOAK=1")
def test_measure_the_start(platform: Platform, capsys: pytest.CaptureFixture[str]) -> None:
    seen: dict[str, list[dict[str, float]]] = {side: [] for side in RUNTIMES}
    restarted = dict.fromkeys(RUNTIMES, 0)
    for _ in range(RUNS):
        for side, runtime in RUNTIMES.items():
            job = submit(platform, runtime)
            assert job.completes()
            seen[side].append(durations(job))
            restarted[side] += job.launcher_restarts() > 0
    rows = [(stage, *(median(run[stage] for run in seen[side]) for side in RUNTIMES)) for stage in (*STAGES, LAST)]
    whole = [median(sum(run.values()) for run in seen[side]) for side in RUNTIMES]
    with capsys.disabled():
        print("\n| stage | here, s | upstream, s |\n| --- | --- | --- |")
        for stage, ours, theirs in (*rows, ("TrainJob to first rank", *whole)):
            print(f"| {stage} | {ours:.2f} | {theirs:.2f} |")
        print(f"Trainings of {RUNS} whose launcher was restarted: {restarted}")
        print(f"Ratio upstream / here: {whole[1] / whole[0]:.2f}")
