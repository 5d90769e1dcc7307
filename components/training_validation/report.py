"""The report of one validation: a verdict for each phase, as a page and as the data of a ConfigMap."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ..validation.printable import printable
from .diagnosis import Diagnosis
from .phases import Phase


class Outcome(StrEnum):
    """How a phase ended."""

    PASSED = "passed"
    """What it checks is right."""

    FAILED = "failed"
    """What it checks is wrong, or was not right in time."""

    NOT_REACHED = "not reached"
    """An earlier phase failed."""

    NOT_CHECKED = "not checked"
    """It cannot be seen here. The detail says why."""


@dataclass(frozen=True)
class PhaseResult:
    """What one phase saw."""

    outcome: Outcome
    """How it ended."""

    seconds: float
    """How long it took."""

    detail: str
    """What was seen, in one line; why it is not checked."""


@dataclass(frozen=True)
class ValidationReport:
    """What was seen of one runtime on one pool."""

    runtime: str
    """Name of the runtime."""

    pool: str | None
    """Name of the pool. None: the runtime is bound to no pool."""

    results: Mapping[Phase, PhaseResult]
    """The phases that ran."""

    diagnoses: tuple[Diagnosis, ...] = ()
    """Why the failed phase failed, as far as its cause is known."""

    def outcome(self, phase: Phase) -> Outcome:
        """How a phase ended."""
        return self.results[phase].outcome if phase in self.results else Outcome.NOT_REACHED

    @property
    def passed(self) -> bool:
        """Whether all phases passed, but for those that cannot be seen here."""
        return all(self.outcome(phase) in (Outcome.PASSED, Outcome.NOT_CHECKED) for phase in Phase)

    def __str__(self) -> str:
        """The page in the terminal."""
        where = f" on {printable(self.pool)}" if self.pool else ""
        lines = [f"{printable(self.runtime)}{where}: {'passed' if self.passed else 'failed'}"]
        for phase in Phase:
            result = self.results.get(phase)
            seen = f"{result.seconds:6.1f} s  {printable(result.detail)}" if result else ""
            lines.append(f"  {phase:<10} {self.outcome(phase):<12}{seen}".rstrip())
        return "\n".join([*lines, *map(str, self.diagnoses)])

    def to_output(self) -> dict[str, Any]:
        """The report as an output of the stack."""
        return {
            "runtime": self.runtime,
            "pool": self.pool,
            "passed": self.passed,
            "phases": {phase.value: self._phase(phase) for phase in Phase},
            "causes": [
                {
                    "name": each.cause,
                    "phase": each.phase.value,
                    "subject": each.subject,
                    "evidence": list(each.evidence),
                    "meaning": each.meaning,
                    "fix": each.fix,
                }
                for each in self.diagnoses
            ],
        }

    def _phase(self, phase: Phase) -> dict[str, Any]:
        outcome = {"outcome": self.outcome(phase).value}
        if result := self.results.get(phase):
            return {**outcome, "seconds": round(result.seconds, 1), "detail": printable(result.detail)}
        return outcome

    def to_config_map_data(self) -> dict[str, str]:
        """The data of the ConfigMap that stays in the cluster: the page, and the same as JSON."""
        return {"report.txt": f"{self}\n", "report.json": json.dumps(self.to_output(), indent=2)}
