"""Other people's text on its way to terminals and CI logs."""

import pytest

from components.cluster.hook_error import PreflightError
from components.cluster.objects import bullet_list
from components.k8s.invalid import InvalidRuntimeError
from components.validation.printable import MAX_LENGTH, printable, printable_lines
from components.validation.report import FileViolation, Skipped
from components.validation.violation import Violation
from stacks.settings.stack_file import StackFileError

CLEAR, TITLE = "\x1b[2J", "\x1b]0;owned\x07"
FORGED = "x\n::error file=a.py,line=1::forged\n0 errors, 0 warnings; 1 good runtime."


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("größe 📦 a: b", "größe 📦 a: b"),
        (CLEAR, r"\x1b[2J"),
        (TITLE, r"\x1b]0;owned\x07"),
        ("a\nb\r\tc", r"a\nb\r\tc"),
        ("\x9b31m", r"\x9b31m"),
        ("\u202eabc\u2066", r"\u202eabc\u2066"),
        ("no\xa0break", r"no\xa0break"),
        ("\u2028\u200b\ufeff", r"\u2028\u200b\ufeff"),
        ("\ud800", r"\ud800"),
        ("\U000e0041", r"\U000e0041"),
        ("##vso[task.complete]", r"#\x23vso[task.complete]"),
        ("##[error]x", r"#\x23[error]x"),
        ("::error::x", r"\x3a:error::x"),
        ("  ::error::x", r"  \x3a:error::x"),
        ("a ## b :: c", "a ## b :: c"),
        (5, "5"),
    ],
)
def test_nothing_moves_the_cursor_or_commands_a_ci_system(text: object, shown: str) -> None:
    assert printable(text) == shown


def test_long_text_is_cut_and_says_so() -> None:
    assert printable("a" * MAX_LENGTH) == "a" * MAX_LENGTH
    assert printable("a" * (MAX_LENGTH + 5)) == "a" * MAX_LENGTH + "... (5 more characters)"
    assert printable("abcdef", 3) == "abc... (3 more characters)"


def test_lines_stay_lines_but_none_is_a_command() -> None:
    assert printable_lines(f"a\n  ::error::b\n::c\n{CLEAR}\n  d::e") == (
        "a\n  \\x3a:error::b\n\\x3a:c\n\\x1b[2J\n  d::e"
    )


def test_a_violation_is_printable_in_all_its_parts() -> None:
    violation = Violation("R-1", FORGED, CLEAR + FORGED, TITLE)
    assert str(violation) == (
        "x\\n::error file=a.py,line=1::forged\\n0 errors, 0 warnings; 1 good runtime.: \\x1b[2Jx\n"
        "\\x3a:error file=a.py,line=1::forged\n0 errors, 0 warnings; 1 good runtime. Fix: \\x1b]0;owned\\x07 [R-1]"
    )
    for error in (PreflightError([violation]), InvalidRuntimeError([violation], FORGED)):
        assert "\x1b" not in str(error)
        assert not any(line.lstrip().startswith("::") for line in str(error).splitlines())


def test_a_violation_in_a_file_is_two_lines_whatever_it_quotes() -> None:
    violation = FileViolation("R-1", FORGED, FORGED, FORGED, file=FORGED, line=3, subject=FORGED)
    assert [line[:5] for line in str(violation).splitlines()] == ["x\\n::", "    F"]
    assert violation.subject == FORGED.replace("\n", "\\n")


def test_what_is_skipped_and_what_cannot_be_read_is_printable() -> None:
    (line,) = str(Skipped(CLEAR, 1, FORGED)).splitlines()
    assert line.startswith(r"\x1b[2J:1: skipped: x\n::error file=a.py,line=1::forged\n0 errors, 0 warnings; 1 good")
    assert str(StackFileError(CLEAR, FORGED, FORGED, 2)).count("\n") == 4
    assert "\x1b" not in str(StackFileError(CLEAR, FORGED, FORGED, 2))


def test_names_of_objects_are_printable() -> None:
    assert bullet_list([CLEAR, "a\n::error::b"]) == "\n  \\x1b[2J\n  a\\n::error::b"
