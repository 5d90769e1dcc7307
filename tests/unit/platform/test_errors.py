"""The error for a platform that cannot be deployed."""

from components.platform.errors import InvalidPlatformError
from components.validation.violation import Violation

ONE = Violation("STK-01", "jobset.replica", "It is\nunknown.\x1b", "Remove it.")
OTHER = Violation("STK-02", "context", "It is missing.", "Set it.")


def test_message_has_a_paragraph_for_each_violation() -> None:
    error = InvalidPlatformError("training", [ONE, OTHER])
    assert error.violations == (ONE, OTHER)
    assert str(error) == (
        "2 errors in the arguments of TrainingPlatform 'training'. Nothing was changed.\n\n"
        "  jobset.replica [STK-01]\n    It is\n    unknown.\\x1b\n    Fix: Remove it.\n\n"
        "  context [STK-02]\n    It is missing.\n    Fix: Set it."
    )


def test_one_error_is_counted_as_one() -> None:
    assert str(InvalidPlatformError("a", [OTHER])).startswith("1 error in the arguments of TrainingPlatform 'a'. ")
