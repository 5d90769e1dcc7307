"""The error for a stack file that cannot be deployed."""

from pathlib import Path

import pulumi
import pytest

from components.validation.violation import Violation
from stacks.settings.error_report import InvalidSettingsError
from stacks.settings.stack_file import StackFile

TRAINER = Violation("STK-02", "trainer.version", "It is\nwrong.", "Set it.")
JOBSET = Violation("STK-01", "jobset.replica", "It is unknown.", "Remove it.")
CLUSTER = Violation("STK-02", "cluster", "It is missing.", "Add it.")


@pytest.fixture
def file(project: Path) -> StackFile:
    (project / "stacks" / "Pulumi.test.yaml").write_text(
        "config:\n  training-platform:jobset:\n    replica: 2\n  training-platform:trainer:\n    version: 2\n"
    )
    return StackFile("test", "training-platform")


def test_pulumi_prints_the_message_without_a_traceback() -> None:
    assert issubclass(InvalidSettingsError, pulumi.RunError)


def test_errors_are_in_the_order_of_the_file_with_their_lines(file: StackFile) -> None:
    error = InvalidSettingsError(file, [TRAINER, JOBSET], [CLUSTER])
    assert error.violations == (JOBSET, TRAINER)
    assert error.warnings == (CLUSTER,)
    assert str(error) == (
        "2 mistakes in stacks/Pulumi.test.yaml. Nothing was changed.\n\n"
        "  jobset.replica (line 3) [STK-01]\n    It is unknown.\n    Fix: Remove it.\n\n"
        "  trainer.version (line 5) [STK-02]\n    It is\\nwrong.\n    Fix: Set it."
    )


def test_errors_without_a_file_have_no_lines_and_keep_their_order(project: Path) -> None:
    del project  # its folder has no file of this stack
    error = InvalidSettingsError(StackFile("absent", "training-platform"), [TRAINER])
    assert str(error).startswith("1 mistake in ")
    assert "  trainer.version [STK-02]\n" in str(error)
