"""The error for an object that cannot be built."""

import pickle

from components.validation.invalid import InvalidSpecError
from components.validation.violation import Violation

VIOLATIONS = [Violation("A-1", "a", "It is wrong.", "Remove it."), Violation("A-2", "", "It is absent.", "Add it.")]


def test_message_has_the_subject_and_a_line_for_each_violation() -> None:
    error = InvalidSpecError(VIOLATIONS, "Pool\x1b a")
    assert error.violations == tuple(VIOLATIONS)
    assert str(error) == (
        "Pool\\x1b a is invalid:\n  a: It is wrong. Fix: Remove it. [A-1]\n  It is absent. Fix: Add it. [A-2]"
    )


def test_copy_has_the_violations_and_the_message() -> None:
    error = InvalidSpecError(VIOLATIONS)
    copied = pickle.loads(pickle.dumps(error))  # noqa: S301 - it was pickled in this line
    assert (type(copied), copied.violations, str(copied)) == (InvalidSpecError, error.violations, str(error))
    assert str(copied).startswith("The spec is invalid:\n")
