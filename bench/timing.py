"""Measurements that stand beside each other: interleaved, several rounds, as medians with their spread.

Machines differ and are busy with other things. So a round measures each subject once, one after the other, and what is
told is how many times the cost of one of them each has, round by round.
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
"""Variables of what is measured: where bytecode is not kept, each start compiles what users have compiled."""


@dataclass(frozen=True)
class Spread:
    """One number, measured in several rounds."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """The one in the middle."""
        return median(self.values)

    def text(self, digits: int) -> str:
        """The median, and the least and the greatest."""
        middle, least, greatest = self.median, min(self.values), max(self.values)
        return f"{middle:.{digits}f} ({least:.{digits}f} to {greatest:.{digits}f})"

    def over(self, other: "Spread") -> "Spread":
        """How many times the other's, in each round."""
        return Spread(tuple(mine / its for mine, its in zip(self.values, other.values, strict=True)))


Measure = Callable[[], Mapping[str, float]]
"""Measures once: numbers by what they are of."""


Panel = Mapping[str, Mapping[int, Spread]]
"""One cost of each subject by the number of things."""

Results = dict[str, dict[str, Spread]]
"""Spreads by what was measured (`bare`, `ours`, ...) and of what."""


def measure_round_robin(subjects: Mapping[str, Measure], rounds: int, warmup_rounds: int = 1) -> Results:
    """The numbers of each subject. A first round is thrown away: it writes bytecode and fills the file cache.

    Another one comes first in each round: what one leaves behind, in caches and in the cluster, is not always for the
    same one to find.
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
    """How long something takes."""
    start = perf_counter()
    work()
    return perf_counter() - start


def fresh_interpreter(program: str) -> Mapping[str, float]:
    """Milliseconds from start to end of a Python that runs a program, and its peak memory in MiB.

    The peak is the kernel's for the process itself (VmHWM), without what the process was forked from.
    """
    ending = "\nprint(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM:')))"
    start = perf_counter()
    command = [sys.executable, "-c", program + ending]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | USER_ENVIRONMENT)
    took = perf_counter() - start
    return {"ms": took * 1000, "MiB": int(done.stdout.split()[-1]) / 1024}


def machine() -> str:
    """The machine that measures, in a line."""
    models = [line.partition(": ")[2] for line in CPUINFO.read_text().splitlines() if line.startswith("model name")]
    cores = len(os.sched_getaffinity(0))
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{cores} cores of {models[0] if models else platform.machine()}, {platform.system()}, {python}"


def table(*rows: tuple[str, ...]) -> str:
    """Rows as Markdown, the first one as its head."""
    head, *rest = rows
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ("---",) * len(head), *rest))
