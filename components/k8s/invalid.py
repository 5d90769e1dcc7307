"""The error for an invalid runtime."""

from collections.abc import Sequence

from ..validation.invalid import InvalidSpecError
from ..validation.violation import Violation


class InvalidRuntimeError(InvalidSpecError):
    """A runtime, or a part of one, is invalid. Lists every violation."""

    def __init__(self, violations: Sequence[Violation], subject: str = "The runtime") -> None:
        """Take the violations, and the name of what is invalid."""
        super().__init__(violations, subject)
