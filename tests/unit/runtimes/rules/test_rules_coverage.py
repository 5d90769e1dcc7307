"""No rule is missing, and none can be taken out unseen."""

from collections import Counter
from typing import Any

import pytest

from components.runtimes.rules import RULES, UPDATE_RULES, Rule
from components.runtimes.rules.schema import SCHEMA_RULES
from components.runtimes.rules.view import RuntimeView

from ..recorded import known_rules
from .cases import CASES
from .samples import changed, loose
from .schema_cases import CASES as SCHEMA_CASES
from .update_cases import CHANGES

OURS = {*(rule_id for rule in RULES for rule_id in rule.ids), *UPDATE_RULES, *SCHEMA_RULES}


NOT_RULES = {
    "SDK-07": "An integer number of devices: only the SDK's device_count is off, and everyone writes it so.",
}
"""Known rules that careful authors would switch off."""


def by_id(rule: Rule) -> str:
    return f"{rule.id} {rule.check.__name__}"


def is_wanted(rule: dict[str, Any]) -> bool:
    return rule["catchable"] == "runtime" and rule["suggest"] != "info" and rule["id"] not in NOT_RULES


def wanted() -> list[str]:
    """The known rules that a runtime alone can break, and that are worth a message."""
    return [rule["id"] for rule in known_rules() if is_wanted(rule)]


def test_every_known_rule_is_implemented() -> None:
    assert len(wanted()) == 154
    assert [rule for rule in wanted() if rule not in OURS] == []


def test_the_coverage_table_has_no_gap() -> None:
    """Each case breaks exactly its rule, and has a neighbour that does not: see the tests of rules, schema, updates."""
    cases = Counter(case.rule for case in (*CASES, *SCHEMA_CASES))
    cases.update(rule for rule, *_ in CHANGES)
    for rule in RULES:
        cases.update(dict.fromkeys(rule.ids[1:], cases[rule.id]))

    assert [known for known in wanted() if not cases[known]] == []


def test_every_rule_has_a_case() -> None:
    assert {rule.id for rule in RULES} == {case.rule for case in CASES}


@pytest.mark.parametrize("rule", RULES, ids=by_id)
def test_removing_any_rule_fails_a_case(rule: Rule) -> None:
    """The cases compare all that is found: without this function one of them would lack something."""
    broken = (changed(case.base, case.broken) for case in CASES if case.rule == rule.id)

    assert any(True for manifest in broken for _ in rule.check(RuntimeView.of(loose(manifest))))


@pytest.mark.parametrize("rule", RULES, ids=by_id)
def test_rule_has_a_summary_and_a_source(rule: Rule) -> None:
    assert rule.summary.endswith(".")
    assert rule.source.endswith(".")
    assert "@" in rule.source or "kubeflow_trainer_api" in rule.source
