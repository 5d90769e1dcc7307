"""A diagnosis: which phase failed, in which pod, what it most often means and what to do."""

from dataclasses import dataclass

from ..validation.printable import printable, printable_lines
from .phases import Phase

MAX_EVIDENCE_LINES = 5
"""Number of lines that a diagnosis quotes."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Why a phase failed."""

    cause: str
    """Name of the cause."""

    phase: Phase
    """The phase that failed."""

    subject: str
    """The pod, node or object that shows it."""

    evidence: tuple[str, ...]
    """The lines that show it: the last of a log, or a message of the cluster."""

    meaning: str
    """What it most often means."""

    fix: str
    """What to do."""

    def __post_init__(self) -> None:
        """Make all text printable: logs and messages of a cluster are written by other people."""
        lines = tuple(printable(line, 400) for line in self.evidence[-MAX_EVIDENCE_LINES:])
        object.__setattr__(self, "subject", printable(self.subject))
        object.__setattr__(self, "evidence", lines)
        object.__setattr__(self, "meaning", printable_lines(self.meaning))

    def __str__(self) -> str:
        """The page of one diagnosis."""
        quoted = "".join(f"\n    | {line}" for line in self.evidence)
        return f"{self.phase}: {self.cause} ({self.subject}){quoted}\n  {self.meaning}\n  Fix: {self.fix}"
