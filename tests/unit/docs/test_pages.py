"""The pages for people: no rule of stack files and no environment is missing there, no link and no test is made up."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent.parent
PAGES = [
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "examples" / "README.md",
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
]


def test_every_rule_of_stack_files_is_explained() -> None:
    rooms = (ROOT / "stacks", ROOT / "components" / "platform")
    code = "".join(file.read_text() for room in rooms for file in room.rglob("*.py"))
    page = (ROOT / "docs" / "troubleshooting.md").read_text()
    assert sorted(set(re.findall(r"STK-\d+", code))) == re.findall(r"^\| (STK-\d+) \|", page, re.MULTILINE)


def text_of(page: Path) -> str:
    """A page without its code."""
    return re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)


def anchors(page: Path) -> set[str]:
    """What a link may name of a page: its headings, as GitHub writes them."""
    headings = re.findall(r"^#+ (.*)$", text_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", text_of(page)) if "://" not in link]
    for link in links:
        file, _, anchor = link.partition("#")
        there = page.parent / file if file else page
        assert there.exists(), link
        assert not anchor or anchor in anchors(there), link


def test_every_environment_is_explained() -> None:
    page = (ROOT / "docs" / "environments.md").read_text()
    environments = {file.name.split(".")[1] for file in (ROOT / "stacks").glob("Pulumi.*.yaml")}
    mine = {name for name in environments if not name.startswith(("example-", "layers-"))}
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == mine


def test_every_row_about_safety_names_tests_that_exist() -> None:
    code = "".join(file.read_text() for file in (ROOT / "tests").rglob("test_*.py"))
    there = set(re.findall(r"^ *(?:async )?def (test_\w+)", code, re.MULTILINE))
    page = (ROOT / "docs" / "safety.md").read_text()
    rows = [line for line in page.splitlines() if line.startswith("| ") and not line.startswith(("| what", "| ---"))]
    assert rows
    assert [row for row in rows if not re.search(r"`test_\w+` *[,;|]", row)] == []
    assert set(re.findall(r"`(test_\w+)`", page)) - there == set()
