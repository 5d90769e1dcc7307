"""More runtimes at once than the engine's language host has threads, each of which waits for a runtime's hooks."""

import os

from .conftest import Platform
from .stack_objects import counts

PARALLEL = 4 * (os.cpu_count() or 1)
"""Steps that the engine takes at once (pulumi 3.274, defaultParallel)."""
THREADS = 4 * PARALLEL
"""Registrations that the language host has waiting at once (pulumi 3.272, automation/_server.py)."""


def test_more_runtimes_than_threads_are_created(changed_platform: Platform) -> None:
    platform, before = changed_platform, changed_platform.sections("runtimes")
    platform.succeed("up")
    many = {f"many-{number}": {"framework": "torch"} for number in range(THREADS + 8)}
    platform.edit(runtimes={**before["runtimes"], **many})
    assert counts(platform.succeed("up"))["created"] == len(many)
    there = platform.names("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime")
    assert there == sorted([*before["runtimes"], *many])
    platform.edit(**before)
    assert counts(platform.succeed("up"))["deleted"] == len(many)
