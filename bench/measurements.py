"""All that one run of the benchmarks has measured, as a file that the next run is compared with."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from bench import engine, program
from bench.measure import Spread, machine

Found = dict[str, dict[str, Spread]]


@dataclass(frozen=True)
class Measurements:
    """What was measured, each a table by subject (`bare`, `ours`, ...) and by what was measured of it."""

    machine: str
    program_runtimes: dict[int, Found]
    program_pools: dict[int, Found]
    platform: Found
    engine_runtimes: dict[int, Found]
    engine_pools: dict[int, Found]

    @classmethod
    def measured(cls, rounds: int) -> Self:
        """Measure everything; of what takes longest, fewer rounds."""
        return cls(
            machine(),
            program.of_runtimes(2 * rounds),
            program.of_pools(rounds),
            engine.of_platform(rounds),
            engine.of_runtimes(rounds),
            engine.of_pools(max(1, rounds - 1)),
        )

    def write(self, file: Path) -> None:
        """As JSON."""
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(asdict(self), indent=1))

    @classmethod
    def read(cls, file: Path) -> Self:
        """What was written."""
        content = json.loads(file.read_text())
        by_count = {name: content[name] for name in content if name not in ("machine", "platform")}
        return cls(
            machine=content["machine"],
            platform=_spreads(content["platform"]),
            **{name: {int(count): _spreads(found) for count, found in each.items()} for name, each in by_count.items()},
        )

    def ratios(self) -> Iterator[tuple[str, float]]:
        """How many times bare's each cost is, by where it stands."""
        for where, found in self._tables():
            for subject, numbers in found.items():
                for number, spread in numbers.items():
                    if subject != "bare" and number in found["bare"]:
                        yield f"{where}, {subject}, {number}", spread.over(found["bare"][number]).median

    def _tables(self) -> Iterator[tuple[str, Found]]:
        yield "platform", self.platform
        for name in ("program_runtimes", "program_pools", "engine_runtimes", "engine_pools"):
            for count, found in getattr(self, name).items():
                yield f"{name} {count}", found


def _spreads(found: dict[str, Any]) -> Found:
    return {
        subject: {number: Spread(tuple(spread["values"])) for number, spread in numbers.items()}
        for subject, numbers in found.items()
    }
