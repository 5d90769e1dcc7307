"""The page that lists every rule is what the code says."""

from pathlib import Path

from components.runtimes.rules import RULES
from components.runtimes.rules.__main__ import page

PAGE = Path(__file__).parents[3] / "docs" / "runtime-rules.md"


def test_the_page_is_made_from_the_code() -> None:
    assert PAGE.read_text() == page(), "run: python -m components.runtimes.rules > docs/runtime-rules.md"


def test_every_rule_is_a_row() -> None:
    rows = page().splitlines()

    assert sum(row.startswith("| ") and row.count(" | ") == 3 for row in rows) == len(RULES) + 2
