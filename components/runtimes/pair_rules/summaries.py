"""Summaries of all rules for TrainJobs, with the URL of their documentation."""

from ...validation.report import RuleSummary
from ..rules.summaries import rule_summaries, rules_page
from . import PAIR_RULES, TRAIN_JOB_UPDATE_RULES


def train_job_rule_summaries() -> dict[str, RuleSummary]:
    """The summary of each rule for TrainJobs and runtimes, by id. If both have one id, that of the runtime's."""
    page = rules_page()
    page = page and page.replace("runtime-rules", "train-job-rules")
    told = dict(TRAIN_JOB_UPDATE_RULES)
    for rule in PAIR_RULES:
        for rule_id in rule.ids:
            told.setdefault(rule_id, rule.summary)
    own = {rule_id: RuleSummary(text, page and f"{page}#{rule_id.lower()}") for rule_id, text in told.items()}
    return {**own, **rule_summaries()}
