"""A runtime that cannot work."""

from collections.abc import Sequence

from ..validation.printable import printable
from ..validation.violation import Violation


class InvalidRuntimeError(ValueError):
    """Raised with everything that is wrong with a runtime, or with a part of one."""

    def __init__(self, violations: Sequence[Violation], subject: str = "The runtime") -> None:
        self.violations = tuple(violations)
        """What is wrong, each with rule, path, message, fix and severity."""
        super().__init__(
            "\n".join((f"{printable(subject)} is invalid:", *(f"  {violation}" for violation in self.violations)))
        )
