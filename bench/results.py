"""Results of the benchmarks: a file for each subject, and the previous one."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from bench import engine_cost, program_cost
from bench.timing import Results, Spread, machine
from tools import LOCAL

FOLDER = LOCAL / "bench"

SUBJECTS: Mapping[str, Callable[[int], dict[int, Results]]] = {
    "program-runtimes": program_cost.of_runtimes,
    "program-pools": program_cost.of_pools,
    "platform": engine_cost.of_platform,
    "runtimes": engine_cost.of_runtimes,
    "pools": engine_cost.of_pools,
}
"""The function that measures each subject in a number of rounds. It returns a table for each number of things."""


@dataclass(frozen=True)
class Measurement:
    """The results of one subject."""

    subject: str
    machine: str
    tables: dict[int, Results]

    @classmethod
    def run(cls, subject: str, rounds: int) -> Self:
        """Measure now and keep the results. The existing ones become the previous ones."""
        measured = cls(subject, machine(), SUBJECTS[subject](rounds))
        FOLDER.mkdir(parents=True, exist_ok=True)
        if (last := _file(subject)).exists():
            last.replace(_file(subject, before=True))
        measured.write(last)
        return measured

    @classmethod
    def last(cls, subject: str, before: bool = False) -> Self | None:
        """The latest results, or the previous ones, or None."""
        file = _file(subject, before)
        return cls.read(file) if file.exists() else None

    def write(self, file: Path) -> None:
        """Write the results as JSON."""
        file.write_text(json.dumps(asdict(self), indent=1))

    @classmethod
    def read(cls, file: Path) -> Self:
        """Read results from JSON."""
        content = json.loads(file.read_text())
        tables = {
            int(count): {
                subject: {number: Spread(tuple(spread["values"])) for number, spread in numbers.items()}
                for subject, numbers in found.items()
            }
            for count, found in content["tables"].items()
        }
        return cls(content["subject"], content["machine"], tables)

    def ratios(self) -> Iterator[tuple[str, float]]:
        """How many times bare's each cost is, by where it stands."""
        for count, found in self.tables.items():
            for who, numbers in found.items():
                for number, spread in numbers.items():
                    if who != "bare" and number in found["bare"]:
                        yield f"{self.subject} {count}, {who}, {number}", spread.over(found["bare"][number]).median


def _file(subject: str, before: bool = False) -> Path:
    return FOLDER / f"{subject}{'.before' if before else ''}.json"
