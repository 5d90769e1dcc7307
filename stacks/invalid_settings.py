"""A stack's config that cannot be deployed."""

from collections.abc import Sequence

import pulumi

from components.violation import Violation

from .stack_file import StackFile


class InvalidSettings(pulumi.RunError):
    """Raised with everything that is wrong with a stack's config. Pulumi prints its message, and no traceback."""

    def __init__(self, file: StackFile, violations: Sequence[Violation]) -> None:
        self.violations = tuple(sorted(violations, key=lambda violation: file.line(violation.path) or 0))
        """What is wrong, in the order of the file, each with rule, path, message, fix and severity."""
        count = "1 mistake" if len(violations) == 1 else f"{len(violations)} mistakes"
        title = f"{count} in {file.name}. Nothing was changed."
        super().__init__("\n\n".join([title, *(_paragraph(file, violation) for violation in self.violations)]))


def _paragraph(file: StackFile, violation: Violation) -> str:
    line = file.line(violation.path)
    place = f"{violation.path} (line {line})" if line else violation.path
    return f"  {place} [{violation.rule}]\n    {violation.message}\n    Fix: {violation.fix}"
