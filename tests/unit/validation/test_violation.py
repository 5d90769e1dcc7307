"""Violations as one line, and their severities."""

import pytest

from components.validation.violation import Severity, Violation, only_errors


@pytest.mark.parametrize(("path", "begins"), [("spec.a[0]", "spec.a[0]: "), ("", "")])
def test_violation_is_one_line_with_path_message_fix_and_rule(path: str, begins: str) -> None:
    assert str(Violation("CTR-36", path, "It is wrong.", "Remove it.")) == (
        f"{begins}It is wrong. Fix: Remove it. [CTR-36]"
    )


def test_control_characters_are_escaped_and_lines_are_kept() -> None:
    violation = Violation("A-1", "a\nb", "c\x1b[31m\nd", "e\nf\x07")
    assert (violation.path, violation.message, violation.fix) == ("a\\nb", "c\\x1b[31m\nd", "e\nf\\x07")


def test_only_errors_stop() -> None:
    error = Violation("A-1", "", "a", "b")
    warning = Violation("A-1", "", "a", "b", Severity.WARNING)
    assert only_errors(iter([warning, error, warning])) == (error,)
