"""Reports of commands: counts, exit codes, lines."""

import pytest

from components.validation.report import FileViolation, Report, Skipped, count, in_file, sort_by_line
from components.validation.violation import Severity, Violation


def found(rule: str = "A-1", severity: Severity = Severity.ERROR, line: int = 1) -> FileViolation:
    return in_file(Violation(rule, "spec.a", "It is wrong.", "Remove it.", severity), "a.yaml", line, "mine")


WARNING = found("B-1", Severity.WARNING)


def test_violation_in_a_file_has_its_place_and_everything_else() -> None:
    violation = found("A-1", Severity.WARNING, 7)
    assert str(violation) == "a.yaml:7: warning [A-1] spec.a: It is wrong.\n    Fix: Remove it."
    assert violation.subject == "mine"


def test_line_of_a_violation_without_a_path_begins_with_the_message() -> None:
    assert str(in_file(Violation("A-1", "", "It is wrong.", "Remove it."), "-", 1, "")) == (
        "-:1: error [A-1] It is wrong.\n    Fix: Remove it."
    )


def test_names_and_texts_of_files_are_printable_lines() -> None:
    violation = FileViolation("A-1", "a\n", "b\n", "c\n", file="d\x1b", line=1, subject="e\n")
    assert (violation.path, violation.message, violation.fix) == ("a\\n", "b\\n", "c\\n")
    assert (violation.file, violation.subject) == ("d\\x1b", "e\\n")
    assert str(Skipped("a\x1b", 3, "b\n")) == "a\\x1b:3: skipped: b\\n"


@pytest.mark.parametrize(
    ("violations", "strict", "code"),
    [([], True, 0), ([WARNING], False, 0), ([WARNING], True, 1), ([found()], False, 1), ([WARNING, found()], False, 1)],
)
def test_errors_exit_with_1_and_warnings_only_if_strict(
    violations: list[FileViolation], strict: bool, code: int
) -> None:
    assert Report(violations).exit_code(strict) == code


def test_errors_and_warnings_are_counted() -> None:
    report = Report([found(), WARNING, WARNING])
    assert (report.counts, report.errors) == ("1 error, 2 warnings", [found()])
    assert [count(number, "runtime") for number in (0, 1, 2)] == ["0 runtimes", "1 runtime", "2 runtimes"]


def test_ignored_rules_are_left_out_of_a_new_report() -> None:
    report = Report([found(), WARNING], [Skipped("a", 1, "b")], [{"file": "c"}])
    assert report.without(["A-1"]) == Report([WARNING], report.skipped, report.valid)
    assert report.violations == [found(), WARNING]


def test_violations_of_a_line_keep_their_order() -> None:
    first, second, third = found("C-1", line=2), found("B-1", line=2), found("A-1", line=1)
    assert sort_by_line([first, second, third]) == [third, first, second]
