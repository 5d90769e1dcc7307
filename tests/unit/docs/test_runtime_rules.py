"""The page that lists every rule is what the code says."""

import re
from pathlib import Path

from components.runtimes.rules import RULES, UPDATE_RULES
from components.runtimes.rules.__main__ import page
from components.runtimes.rules.schema import SCHEMA_RULES

PAGE = Path(__file__).parents[3] / "docs" / "runtime-rules.md"


def test_the_page_is_made_from_the_code() -> None:
    assert PAGE.read_text() == page(), "run: python -m components.runtimes.rules > docs/runtime-rules.md"


def test_every_rule_is_a_row() -> None:
    rows = page().partition("## Rules\n")[2].splitlines()

    assert sum(row.startswith("| ") and row.count(" | ") == 3 for row in rows) == len(RULES) + 2


def test_every_rule_id_has_one_anchor() -> None:
    ids = {rule_id for rule in RULES for rule_id in rule.ids} | SCHEMA_RULES.keys() | UPDATE_RULES.keys()

    assert sorted(re.findall(r'<a id="([^"]+)"></a>', page())) == sorted(rule_id.lower() for rule_id in ids)
