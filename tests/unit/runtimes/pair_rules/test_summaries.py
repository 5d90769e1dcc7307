"""Summaries of the rules for TrainJobs."""

from components.runtimes.pair_rules import PAIR_RULES, TRAIN_JOB_UPDATE_RULES
from components.runtimes.pair_rules.summaries import train_job_rule_summaries
from components.runtimes.rules.summaries import rule_summaries


def test_every_id_has_a_summary() -> None:
    summaries = train_job_rule_summaries()

    assert {rule_id for rule in PAIR_RULES for rule_id in rule.ids} | TRAIN_JOB_UPDATE_RULES.keys() <= summaries.keys()
    assert rule_summaries().items() <= summaries.items()
    assert summaries["TJC-01"].summary == "The name of a TrainJob is not a DNS label."
