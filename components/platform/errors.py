"""A platform that cannot be deployed."""

from collections.abc import Sequence

import pulumi

from ..validation.printable import printable
from ..validation.violation import Violation


class InvalidPlatformError(pulumi.RunError):
    """Raised with everything that is wrong with a platform. Pulumi prints its message, and no traceback."""

    def __init__(self, platform: str, violations: Sequence[Violation]) -> None:
        self.violations = tuple(violations)
        """What is wrong, each with rule, path, message, fix and severity."""
        count = "1 error" if len(violations) == 1 else f"{len(violations)} errors"
        title = f"{count} in the arguments of TrainingPlatform {platform!r}. Nothing was changed."
        super().__init__("\n\n".join([title, *map(_paragraph, violations)]))


def _paragraph(violation: Violation) -> str:
    lines = (
        f"  {violation.path} [{violation.rule}]",
        *(f"    {line}" for line in violation.message.splitlines()),
        f"    Fix: {violation.fix}",
    )
    return "\n".join(map(printable, lines))
