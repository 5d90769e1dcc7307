"""Comparative measurements: interleaved, in several rounds, as medians with their spread.

Machines differ and are busy with other things. So each round measures every subject once, and results are ratios within
a round.
"""

import os
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

CPUINFO = Path("/proc/cpuinfo")
USER_ENVIRONMENT = {"PYTHONDONTWRITEBYTECODE": ""}
"""Variables for measured programs. Without cached bytecode, each start would compile what users have compiled
already."""


@dataclass(frozen=True)
class Spread:
    """A number that was measured in several rounds."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median."""
        return median(self.values)

    def text(self, digits: int) -> str:
        """The median, the minimum and the maximum."""
        middle, least, greatest = self.median, min(self.values), max(self.values)
        return f"{middle:.{digits}f} ({least:.{digits}f} to {greatest:.{digits}f})"

    def over(self, other: "Spread") -> "Spread":
        """The ratio to another one, in each round."""
        return Spread(tuple(mine / its for mine, its in zip(self.values, other.values, strict=True)))


Measure = Callable[[], Mapping[str, float]]
"""Measures once and returns numbers by name."""


Panel = Mapping[str, Mapping[int, Spread]]
"""One cost of each subject, by the number of things."""

Results = dict[str, dict[str, Spread]]
"""Spreads by subject (`bare`, `ours`, ...) and name."""


def measure_round_robin(subjects: Mapping[str, Measure], rounds: int, warmup_rounds: int = 1) -> Results:
    """Measure each subject in several rounds. The first rounds are discarded: they write bytecode and fill the file
    cache.

    Each round begins with another subject, so that what one leaves in caches and in the cluster does not always affect
    the same one.
    """
    measured = []
    for turn in range(rounds + warmup_rounds):
        first = turn % len(subjects)
        names = [*subjects][first:] + [*subjects][:first]
        measured.append({name: subjects[name]() for name in names})
    measured = measured[warmup_rounds:]
    return {
        name: {number: Spread(tuple(each[name][number] for each in measured)) for number in measured[0][name]}
        for name in subjects
    }


def seconds(work: Callable[[], object]) -> float:
    """The duration of a call in seconds."""
    start = perf_counter()
    work()
    return perf_counter() - start


def fresh_interpreter(program: str) -> Mapping[str, float]:
    """Milliseconds that a new Python process needs for a program, and its peak memory in MiB.

    The peak is the kernel's VmHWM, which does not include the process that it was forked from.
    """
    ending = "\nprint(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM:')))"
    start = perf_counter()
    command = [sys.executable, "-c", program + ending]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | USER_ENVIRONMENT)
    took = perf_counter() - start
    return {"ms": took * 1000, "MiB": int(done.stdout.split()[-1]) / 1024}


def machine() -> str:
    """A description of this machine in one line."""
    models = [line.partition(": ")[2] for line in CPUINFO.read_text().splitlines() if line.startswith("model name")]
    cores = len(os.sched_getaffinity(0))
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{cores} cores of {models[0] if models else platform.machine()}, {platform.system()}, {python}"


def table(*rows: tuple[str, ...]) -> str:
    """Rows as a Markdown table. The first one is the header."""
    head, *rest = rows
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ("---",) * len(head), *rest))
