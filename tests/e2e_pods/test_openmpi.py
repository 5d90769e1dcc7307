"""Open MPI 5, which reads other settings than Open MPI 4, for which Trainer has settings."""

from tests.e2e.conftest import Platform

from .trainjob import submit

NODES = 4


def test_open_mpi_5_runs_all_ranks_on_all_pods(platform: Platform) -> None:
    job = submit(platform, "openmpi-5", training=None)
    assert job.completes(), job.timeline.moments(job.name)
    assert sorted(job.ranks()) == list(range(NODES))
    assert set(job.ranks().values()) == job.hosts(NODES)
    assert job.launcher_restarts() == 0


def test_open_mpi_5_with_settings_of_4_runs_only_on_the_launcher(platform: Platform) -> None:
    job = submit(platform, "openmpi-5-as-4", training=None)
    assert job.completes(), job.timeline.moments(job.name)
    assert set(job.ranks().values()) == {f"{job.name}-launcher-0-0"}
