"""The error for an invalid runtime."""

from collections.abc import Sequence

from ..validation.printable import printable
from ..validation.violation import Violation


class InvalidRuntimeError(ValueError):
    """A runtime, or a part of one, is invalid. Lists every violation."""

    def __init__(self, violations: Sequence[Violation], subject: str = "The runtime") -> None:
        """Take the violations, and the name of what is invalid."""
        self.violations = tuple(violations)
        """What is wrong, each with rule, path, message, fix and severity."""
        super().__init__(
            "\n".join((f"{printable(subject)} is invalid:", *(f"  {violation}" for violation in self.violations)))
        )
