"""How a hook says no: before the engine does something, with why, and what to do about it."""

from collections.abc import Iterable

from ..validation.violation import Violation


class PreflightError(Exception):
    """Raised before anything is changed. The engine prints its message, and goes no further."""

    def __init__(self, violations: Iterable[Violation]) -> None:
        self.violations = tuple(violations)
        """Everything that is in the way, each with rule, path, message, fix and severity."""
        super().__init__("\n".join(map(str, self.violations)))
