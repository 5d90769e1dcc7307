"""No rule is missing, and none can be taken out unseen."""

import json
from pathlib import Path

import pytest

from components.runtimes.rules import RULES, UPDATE_RULES, Rule
from components.runtimes.rules.layout import Layout
from components.runtimes.schema_rules import SCHEMA_RULES

from .cases import CASES
from .samples import changed, loose

OURS = {*(rule_id for rule in RULES for rule_id in rule.ids), *UPDATE_RULES, *SCHEMA_RULES}


def by_id(rule: Rule) -> str:
    return f"{rule.id} {rule.check.__name__}"


def test_every_known_rule_is_a_rule_here(shared: Path) -> None:
    known = json.loads((shared / "reference" / "runtime_rules.json").read_text())["rules"]
    wanted = [rule for rule in known if rule["catchable"] == "runtime" and rule["suggest"] != "info"]

    assert len(wanted) == 155
    assert {rule["id"]: rule["violated_when"] for rule in wanted if rule["id"] not in OURS} == {}


def test_every_rule_has_a_case() -> None:
    assert {rule.id for rule in RULES} == {case.rule for case in CASES}


@pytest.mark.parametrize("rule", RULES, ids=by_id)
def test_no_rule_can_be_taken_out_unseen(rule: Rule) -> None:
    """The cases compare all that is found: without this function one of them would lack something."""
    broken = (changed(case.base, case.broken) for case in CASES if case.rule == rule.id)

    assert any(True for manifest in broken for _ in rule.check(Layout.of(loose(manifest))))


@pytest.mark.parametrize("rule", RULES, ids=by_id)
def test_a_rule_says_what_it_forbids_and_who_says_so(rule: Rule) -> None:
    assert rule.summary.endswith(".")
    assert rule.source.endswith(".")
    assert "@" in rule.source or "kubeflow_trainer_api" in rule.source
