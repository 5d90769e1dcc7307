"""The error with which a hook stops the engine."""

from collections.abc import Iterable

from ..validation.violation import Violation


class PreflightError(Exception):
    """A check failed before anything was changed. The engine prints the message and stops."""

    def __init__(self, violations: Iterable[Violation]) -> None:
        self.violations = tuple(violations)
        """The violations, each with rule, path, message, fix and severity."""
        super().__init__("\n".join(map(str, self.violations)))
