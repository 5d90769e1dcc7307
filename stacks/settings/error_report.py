"""The error for a stack file that cannot be deployed."""

from collections.abc import Sequence

import pulumi

from components.validation.printable import printable
from components.validation.violation import Violation

from .stack_file import StackFile


class InvalidSettingsError(pulumi.RunError):
    """Raised with all errors of a stack file. Pulumi prints its message without a traceback."""

    def __init__(self, file: StackFile, violations: Sequence[Violation], warnings: Sequence[Violation] = ()) -> None:
        self.file = file
        """The stack file."""
        self.violations = tuple(sorted(violations, key=lambda violation: _order(file, violation)))
        """The errors in the order of the file, each with rule, path, message, fix and severity."""
        self.warnings = tuple(warnings)
        """Warnings about the valid parts of the file. The message does not include them."""
        count = "1 mistake" if len(violations) == 1 else f"{len(violations)} mistakes"
        super().__init__(format_report(f"{count} in {file.name}. Nothing was changed.", file, self.violations))


def format_report(title: str, file: StackFile, violations: Sequence[Violation]) -> str:
    """Formats a title, and below it the violations with their lines in the file."""
    return "\n\n".join([title, *(_paragraph(file, violation) for violation in violations)])


def _order(file: StackFile, violation: Violation) -> tuple[bool, int]:
    place = file.place(violation.path)
    return (place.inherited, place.line) if place else (False, 0)


def _paragraph(file: StackFile, violation: Violation) -> str:
    place = file.place(violation.path)
    where = f"{violation.path} ({place})" if place else violation.path
    lines = (f"  {where} [{violation.rule}]", f"    {violation.message}", f"    Fix: {violation.fix}")
    return "\n".join(map(printable, lines))
