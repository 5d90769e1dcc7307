"""What is wrong with something that a person wrote: where, why, and how to mend it."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from .printable import printable, printable_lines


class Severity(StrEnum):
    """Whether a violation stops."""

    ERROR = "error"
    """It cannot work: nothing is built from it."""

    WARNING = "warning"
    """It works, but not as it reads; or it works only under conditions that cannot be seen from here."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that is wrong."""

    rule: str
    """Id of the rule that it breaks, `CTR-36`."""

    path: str
    """Where, as the user wrote it: `spec.template.spec.replicatedJobs[1].dependsOn[0].name`."""

    message: str
    """What is wrong with which value, and why."""

    fix: str
    """What to do about it."""

    severity: Severity = Severity.ERROR
    """Whether it stops."""

    def __post_init__(self) -> None:
        """Makes everything printable: any of it may quote a file or a cluster that other people write to."""
        object.__setattr__(self, "path", printable(self.path))
        object.__setattr__(self, "message", printable_lines(self.message))
        object.__setattr__(self, "fix", printable_lines(self.fix))

    def __str__(self) -> str:
        """One readable line: path, message, fix and rule."""
        where = f"{self.path}: " if self.path else ""
        return f"{where}{self.message} Fix: {self.fix} [{self.rule}]"


def only_errors(violations: Iterable[Violation]) -> tuple[Violation, ...]:
    """Those that stop."""
    return tuple(violation for violation in violations if violation.severity is Severity.ERROR)
