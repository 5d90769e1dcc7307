"""What the program costs in Python: to import, to read the settings, to register, beside a bare program."""

import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import subjects
from bench.checkouts import Checkout, cluster
from bench.measure import Spread, fresh_interpreter, interleaved

COUNTS = (1, 20, 100, 300, 1000)
RUN = "import os, sys; os.chdir({folder!r}); sys.path.insert(0, {folder!r}); from bench import mocked; mocked.from_file()"


def measured(rounds: int, counts: tuple[int, ...] = COUNTS) -> dict[int, dict[str, dict[str, Spread]]]:
    """Milliseconds and MiB of ours and of the bare program, by the number of runtimes."""
    with cluster() as running, TemporaryDirectory(prefix="bench-") as folder:
        return {count: _one(running, Path(folder) / str(count), count, rounds) for count in counts}


def _one(running: Checkout, folder: Path, count: int, rounds: int) -> dict[str, dict[str, Spread]]:
    ours, bare = Checkout.in_folder(folder / "ours"), Checkout.in_folder(folder / "bare")
    sections = subjects.platform(running) | {"runtimes": subjects.runtimes(count)}
    bare.program(subjects.BARE, subjects.bare(running, ours.registered(sections)))
    bare.registered({})
    programs = {"bare": bare, "ours": ours}
    return interleaved({name: partial(_run, each) for name, each in programs.items()}, rounds)


def _run(checkout: Checkout) -> Mapping[str, float]:
    return fresh_interpreter(RUN.format(folder=str(checkout.folder)))


if __name__ == "__main__":
    for count, found in measured(int(sys.argv[1]), tuple(map(int, sys.argv[2:]))).items():
        for name, numbers in found.items():
            print(count, name, {number: spread.text(1) for number, spread in numbers.items()})
