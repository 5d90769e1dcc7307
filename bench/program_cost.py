"""Cost of the program in Python: imports, reading settings and registering resources, compared with a bare program."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench import scenarios
from bench.timing import Results, fresh_interpreter, measure_round_robin
from bench.workspaces import Checkout, cluster

RUNTIMES = (1, 20, 100, 300, 1000)
POOLS = (1, 10, 50, 100)
OFTEN = 2
"""Factor for the number of rounds of measurements that take a second or two: they vary by a fifth on a shared
machine."""
RUN = (
    "import os, sys; os.chdir({0!r}); sys.path.insert(0, {0!r}); from bench import mock_engine; mock_engine.from_file()"
)


def of_runtimes(rounds: int, counts: Sequence[int] = RUNTIMES) -> dict[int, Results]:
    """The local stack with that many runtimes."""
    return _by_count(rounds, counts, lambda count: {"runtimes": scenarios.runtimes(count)})


def of_pools(rounds: int, counts: Sequence[int] = POOLS) -> dict[int, Results]:
    """The local stack with that many GPU node pools, and no runtimes that name one."""
    return _by_count(
        rounds,
        counts,
        lambda count: {"gpuNodePools": scenarios.pools(count, gpus=8), "runtimes": scenarios.runtimes(1)},
    )


def _by_count(rounds: int, counts: Sequence[int], sections: Callable[[int], dict[str, Any]]) -> dict[int, Results]:
    with cluster() as on, TemporaryDirectory(prefix="bench-") as folder:
        platform = scenarios.platform(on)
        return {count: _one(on, Path(folder) / str(count), platform | sections(count), rounds) for count in counts}


def _one(on: Checkout, folder: Path, sections: Mapping[str, Any], rounds: int) -> Results:
    ours, bare = Checkout.in_folder(folder / "ours"), Checkout.in_folder(folder / "bare")
    bare.program(scenarios.BARE, scenarios.bare(on, ours.registered(sections)))
    bare.registered({})
    return measure_round_robin({"bare": partial(_run, bare), "ours": partial(_run, ours)}, OFTEN * rounds)


def _run(checkout: Checkout) -> Mapping[str, float]:
    return fresh_interpreter(RUN.format(str(checkout.folder)))
