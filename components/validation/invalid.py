"""The error for an object that cannot be built."""

from collections.abc import Sequence
from typing import Any

from .printable import printable
from .violation import Violation


class InvalidSpecError(ValueError):
    """A spec that a program builds is invalid. Lists every violation."""

    def __init__(self, violations: Sequence[Violation], subject: str = "The spec") -> None:
        """Take the violations, and the name of what is invalid."""
        self.violations = tuple(violations)
        """What is wrong, each with rule, path, message, fix and severity."""
        self._subject = subject
        super().__init__("\n".join((f"{printable(subject)} is invalid:", *(f"  {each}" for each in self.violations))))

    def __reduce__(self) -> tuple[Any, ...]:
        """Take the violations along: by default a copy is made of the message alone."""
        return type(self), (self.violations, self._subject)
