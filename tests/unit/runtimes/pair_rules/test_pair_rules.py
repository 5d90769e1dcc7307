"""Every rule finds the TrainJob that breaks it, at its place, and nothing in a similar one that does not."""

from typing import Any

import pytest

from components.runtimes.explain import RELEASES, ExplainError
from components.runtimes.pair_rules import PAIR_RULES, PairRule, check_train_job
from components.runtimes.pair_rules.pair import Pair

from ..explain.pairs import job, runtime, train_job
from .cases import CASES, CHECKED_AGAIN
from .samples import Case


def by_id(rule: PairRule) -> str:
    return f"{rule.id} {rule.check.__name__}"


@pytest.mark.parametrize("case", [*CASES, *CHECKED_AGAIN], ids=str)
def test_broken_train_job_violates_only_its_rule(case: Case) -> None:
    found = case.broken.violations()

    assert [(each.rule, each.path, each.severity) for each in found] == [(case.rule, case.path, case.severity)]


@pytest.mark.parametrize("case", [*CASES, *CHECKED_AGAIN], ids=str)
def test_similar_train_job_violates_no_rule(case: Case) -> None:
    assert case.sound.violations() == ()


def test_every_rule_has_a_case() -> None:
    assert {rule.id for rule in PAIR_RULES} == {case.rule for case in CASES}


@pytest.mark.parametrize("rule", PAIR_RULES, ids=by_id)
def test_removing_any_rule_fails_a_case(rule: PairRule) -> None:
    samples = (case.broken for case in CASES if case.rule == rule.id)
    pairs = (Pair(job, RELEASES[trainer], runtime, pool) for job, runtime, pool, trainer in samples)

    assert any(True for pair in pairs for _ in rule.check(pair))


@pytest.mark.parametrize("rule", PAIR_RULES, ids=by_id)
def test_rule_has_a_summary_and_a_source(rule: PairRule) -> None:
    assert rule.summary.endswith(".")
    assert rule.source.endswith(".")
    assert "@" in rule.source


def test_unknown_version_of_trainer_is_an_error() -> None:
    with pytest.raises(ExplainError, match=r"Trainer 1\.9\.0 is not known\. Use 2\.0\.0, 2\.2\.0, 2\.3\.0\."):
        check_train_job(train_job(), trainer="1.9.0")


@pytest.mark.parametrize(("version", "offered"), [("2.0.0", False), ("2.2.0", True), ("2.3.0", True)])
def test_annotation_for_kai_is_offered_where_a_patch_can_set_it(version: str, offered: bool) -> None:
    pod = {"schedulerName": "kai-scheduler"}
    waiting = job(pod=pod, dependsOn=[{"name": "prepare", "status": "Complete"}])
    (found,) = check_train_job(train_job(), runtime(job("prepare", None, pod=pod), waiting), trainer=version)

    assert ('kai.scheduler/batch-min-member: "1"' in found.fix) == offered


def test_rules_that_need_the_runtime_find_nothing_without_it() -> None:
    patched: dict[str, Any] = {"name": "no-such-job"}
    given = [{"manager": "a.com/b", "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": [patched]}}}}]

    assert check_train_job(train_job(runtimePatches=given)) == ()
