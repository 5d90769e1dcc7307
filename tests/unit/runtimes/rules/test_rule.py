"""A rule: the ids and severities of its violations, and its documentation."""

from collections.abc import Iterator

import pytest

from components.runtimes.rules.rule import Rule, violation
from components.runtimes.rules.view import RuntimeView
from components.validation.violation import Severity, Violation

from .samples import TORCH, loose


def documented(_: RuntimeView) -> Iterator[Violation]:
    """A runtime has a name.

    TrainJobs refer to
    it. Source: a.go:1@trainer@v2.3.0.
    """
    yield violation("a", "It is\nwrong.", "Remove it.")
    yield violation("b", "It is doubtful.", "Remove it.", Severity.WARNING)


@pytest.mark.parametrize(
    ("severity", "found"),
    [(Severity.ERROR, [Severity.ERROR, Severity.WARNING]), (Severity.WARNING, [Severity.WARNING, Severity.WARNING])],
)
def test_violations_have_the_first_id_and_at_most_the_severity_of_the_rule(
    severity: Severity, found: list[Severity]
) -> None:
    violations = [*Rule(("A-1", "A-2"), severity, documented).violations(RuntimeView.of(loose(TORCH)))]
    assert [(each.rule, each.path) for each in violations] == [("A-1", "a"), ("A-1", "b")]
    assert [each.severity for each in violations] == found
    assert violations[0].message == "It is\\nwrong."


def test_docstring_has_a_summary_a_reason_and_a_source() -> None:
    rule = Rule(("A-1",), Severity.ERROR, documented)
    assert (rule.summary, rule.reason, rule.source) == (
        "A runtime has a name.",
        "TrainJobs refer to it.",
        "a.go:1@trainer@v2.3.0.",
    )
