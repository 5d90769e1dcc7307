"""The page that lists every rule for TrainJobs is what the code says."""

import re
from pathlib import Path

from components.runtimes.pair_rules import PAIR_RULES, TRAIN_JOB_UPDATE_RULES
from components.runtimes.pair_rules.__main__ import NODE_RULES, page
from components.runtimes.rules import RULES

PAGE = Path(__file__).parents[3] / "docs" / "train-job-rules.md"


def test_the_page_is_made_from_the_code() -> None:
    assert PAGE.read_text() == page(), "run: python -m components.runtimes.pair_rules > docs/train-job-rules.md"


def test_every_rule_is_a_row() -> None:
    rows = page().partition("## Rules\n")[2].partition("## ")[0].splitlines()

    assert sum(row.startswith("| ") and row.count(" | ") == 3 for row in rows) == len(PAIR_RULES) + 2


def test_every_id_of_this_page_alone_has_one_anchor() -> None:
    elsewhere = {*(rule_id for rule in RULES for rule_id in rule.ids), *NODE_RULES}
    ids = {rule_id for rule in PAIR_RULES for rule_id in rule.ids} | TRAIN_JOB_UPDATE_RULES.keys()

    assert sorted(re.findall(r'<a id="([^"]+)"></a>', page())) == sorted(each.lower() for each in ids - elsewhere)
