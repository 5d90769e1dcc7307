"""What a command found in files: violations with their lines, what it skipped, and what is valid."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .printable import printable
from .violation import Severity, Violation


@dataclass(frozen=True, slots=True, kw_only=True)
class FileViolation(Violation):
    """A violation in a file."""

    file: str
    """Path of the file, `-` for standard input."""

    line: int
    """Line in the file. The first line is 1."""

    subject: str = ""
    """Name of the runtime or stack. Empty if the file cannot be read that far."""

    def __post_init__(self) -> None:
        """Makes every field printable, each as one line."""
        for name in ("file", "path", "message", "fix", "subject"):
            object.__setattr__(self, name, printable(getattr(self, name)))

    def __str__(self) -> str:
        """Two lines: place, severity, rule, path and message; then the fix."""
        where = f"{self.path}: " if self.path else ""
        return f"{self.file}:{self.line}: {self.severity} [{self.rule}] {where}{self.message}\n    Fix: {self.fix}"


def in_file(violation: Violation, file: str, line: int, subject: str) -> FileViolation:
    """The violation with its place in a file."""
    return FileViolation(
        violation.rule,
        violation.path,
        violation.message,
        violation.fix,
        violation.severity,
        file=file,
        line=line,
        subject=subject,
    )


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or document that was not checked."""

    file: str
    line: int
    reason: str
    """Why, as in `ConfigMap is not a training runtime`."""

    def __post_init__(self) -> None:
        """Makes every field printable."""
        object.__setattr__(self, "file", printable(self.file))
        object.__setattr__(self, "reason", printable(self.reason))

    def __str__(self) -> str:
        """One line."""
        return f"{self.file}:{self.line}: skipped: {self.reason}"


@dataclass(frozen=True, slots=True)
class RuleSummary:
    """What formats print about a rule beside its violations."""

    summary: str
    """What the rule forbids, in one sentence."""

    url: str | None = None
    """Absolute URL of its documentation. None: not published."""


@dataclass
class Report:
    """What a command found."""

    violations: list[FileViolation] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    valid: list[Mapping[str, Any]] = field(default_factory=list)
    """What no error was found in, as it appears in JSON: `{"file": ..., "kind": ..., "name": ...}`."""

    @property
    def errors(self) -> list[FileViolation]:
        """The violations that stop."""
        return [violation for violation in self.violations if violation.severity is Severity.ERROR]

    @property
    def counts(self) -> str:
        """`1 error, 2 warnings`."""
        errors = len(self.errors)
        return f"{count(errors, 'error')}, {count(len(self.violations) - errors, 'warning')}"

    def without(self, rules: Collection[str]) -> "Report":
        """The report without the violations of some rules."""
        return replace(self, violations=[each for each in self.violations if each.rule not in rules])

    def exit_code(self, strict: bool) -> int:
        """1 if there are errors, or warnings and `strict`; else 0."""
        return 1 if self.errors or (strict and self.violations) else 0


def count(number: int, noun: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def sort_by_line(violations: Sequence[FileViolation]) -> list[FileViolation]:
    """The violations of one file from top to bottom."""
    return sorted(violations, key=lambda violation: violation.line)
