"""What is wrong with something that a person wrote: where, why, and how to fix it."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from .printable import printable, printable_lines


class Severity(StrEnum):
    """Whether a violation stops the deployment."""

    ERROR = "error"
    """It cannot work: nothing is built from it."""

    WARNING = "warning"
    """It works, but not as it appears to, or only under conditions that cannot be checked here."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One mistake."""

    rule: str
    """Id of the rule, such as `CTR-36`."""

    path: str
    """Path of the value, in the user's own keys: `spec.template.spec.replicatedJobs[1].dependsOn[0].name`."""

    message: str
    """What is wrong, and why."""

    fix: str
    """What to do about it."""

    severity: Severity = Severity.ERROR
    """Whether it stops the deployment."""

    def __post_init__(self) -> None:
        """Make all text printable: it may quote a file or cluster that other people can write to."""
        object.__setattr__(self, "path", printable(self.path))
        object.__setattr__(self, "message", printable_lines(self.message))
        object.__setattr__(self, "fix", printable_lines(self.fix))

    def __str__(self) -> str:
        """One line: path, message, fix and rule."""
        where = f"{self.path}: " if self.path else ""
        return f"{where}{self.message} Fix: {self.fix} [{self.rule}]"


def only_errors(violations: Iterable[Violation]) -> tuple[Violation, ...]:
    """The violations that are errors."""
    return tuple(violation for violation in violations if violation.severity is Severity.ERROR)
