"""Every rule finds what breaks it, at its place, and nothing else; and nothing in a neighbour that does not."""

import pytest

from .cases import CASES
from .samples import SOUND, Case, Manifest, changed, violations


@pytest.mark.parametrize("manifest", SOUND, ids=lambda manifest: manifest["metadata"]["name"])
def test_valid_runtime_violates_no_rule(manifest: Manifest) -> None:
    assert violations(manifest) == ()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_broken_runtime_violates_only_its_rule(case: Case) -> None:
    found = violations(changed(case.base, case.broken))

    assert [(violation.rule, violation.path, violation.severity) for violation in found] == [
        (case.rule, case.path, case.severity)
    ]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_valid_case_does_not_violate_the_rule(case: Case) -> None:
    found = violations(changed(case.base, case.sound))

    assert case.rule not in [violation.rule for violation in found]
    assert [violation for violation in found if violation.severity == "error"] == []
