"""What `explain` says is what the real controllers create."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from components.runtimes.explain import LATEST
from tools import go_build
from tools.local_cluster import operators

from .conftest import Platform, copy_project
from .explain_comparison import Server
from .explain_outcome import outcome
from .explain_pairs import pairs
from .operator_versions import STEPS, set_versions

SOAK = "SOAK" in os.environ
PAIRS = 2000 if SOAK else 40


@pytest.fixture
def older(tmp_path: Path) -> Iterator[Platform]:
    """A checkout whose stack is not up yet, with the programs of older operators."""
    go_build.build(tuple(operator.program for operator in operators.OLDER))
    platform = copy_project(tmp_path)
    yield platform
    platform.run("down")


def check(platform: Platform, trainer: str) -> None:
    result = outcome(Server(platform), pairs(PAIRS, seed=18, trainer=trainer), trainer)
    print(result)
    assert result.different == []
    assert result.equal.total() > 3 * PAIRS


def test_explained_objects_are_those_that_the_controllers_create(platform: Platform) -> None:
    check(platform, LATEST)


@pytest.mark.skipif(not SOAK, reason="builds older controllers")
@pytest.mark.parametrize(("trainer", "jobset"), STEPS[:-1])
def test_explained_objects_are_those_of_older_controllers(older: Platform, trainer: str, jobset: str) -> None:
    set_versions(older, trainer, jobset)
    older.succeed("up")
    check(older, trainer)
