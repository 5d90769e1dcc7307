"""The page about operators lists every id that they say."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_the_page_lists_every_id_once() -> None:
    code = "".join(file.read_text() for file in (ROOT / "components").rglob("*.py"))
    page = (ROOT / "docs" / "operators.md").read_text().partition("## All ids")[2]
    listed = re.findall(r"^\| <a id=\"[\w-]+\"></a>((?:OPR|VER)-\d+) \|", page, re.MULTILINE)
    assert listed == sorted(set(re.findall(r"\"((?:OPR|VER)-\d+)\"", code)))
