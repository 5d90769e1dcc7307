"""Fixes can be followed: what is written then breaks no other rule, and no longer the one that offered the fix."""

import pytest

from components.validation.violation import Severity, Violation

from .cases import CASES
from .fixes import follow
from .reports import REPORTS
from .samples import Case, Manifest, changed, violations

MIN_FOLLOWED = 250
"""Fixes of the cases that are followed. Fewer would mean that fixes are worded otherwise than `fixes.py` reads them."""


def new_errors(manifest: Manifest) -> list[str]:
    """What goes wrong where somebody follows a fix. Of several choices one has to be right as it is: others may need
    something else beside them."""
    found = violations(manifest)
    before = {(each.rule, each.path) for each in found if each.severity is Severity.ERROR}
    wrong: list[str] = []
    for each in found:
        problems = [_problems(each, followed, before) for followed in follow(manifest, each)]
        if problems and all(problems):
            wrong += [f"{each.fix} -> {problem}" for choice in problems for problem in choice]
    return wrong


def _problems(fixed: Violation, followed: Manifest, before: set[tuple[str, str]]) -> list[str]:
    after = violations(followed)
    errors = [str(new) for new in after if new.severity is Severity.ERROR and (new.rule, new.path) not in before]
    return errors + [
        str(new) for new in after if (new.rule, new.path, new.message) == (fixed.rule, fixed.path, fixed.message)
    ]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_following_a_fix_adds_no_error(case: Case) -> None:
    assert new_errors(changed(case.base, case.broken)) == []


@pytest.mark.parametrize("report", REPORTS)
def test_following_a_fix_of_a_published_runtime_adds_no_error(report: str) -> None:
    assert new_errors(REPORTS[report][0]) == []


def test_many_fixes_are_followed() -> None:
    followed = 0
    for case in CASES:
        manifest = changed(case.base, case.broken)
        followed += sum(len(follow(manifest, found)) for found in violations(manifest))
    assert followed >= MIN_FOLLOWED
