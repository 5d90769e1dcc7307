"""The pages for people who write stack files: no rule and no file is missing there, no link leads nowhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent.parent
PAGES = [
    *(ROOT / "docs" / f"{name}.md" for name in ("first-hour", "environments", "stack-file", "layers", "air-gap")),
    *(ROOT / "docs" / f"{name}.md" for name in ("upgrading", "destroying", "troubleshooting")),
    *sorted((ROOT / "docs" / "adr").glob("*.md")),
    ROOT / "examples" / "README.md",
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
]


def test_every_rule_of_stack_files_is_explained() -> None:
    code = "".join(file.read_text() for file in (ROOT / "stacks").glob("*.py"))
    page = (ROOT / "docs" / "troubleshooting.md").read_text()
    assert sorted(set(re.findall(r"STK-\d+", code))) == re.findall(r"^\| (STK-\d+) \|", page, re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL))
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (page.parent / link).exists()] == []


def test_every_environment_is_explained() -> None:
    page = (ROOT / "docs" / "environments.md").read_text()
    environments = {file.name.split(".")[1] for file in (ROOT / "stacks").glob("Pulumi.*.yaml")}
    mine = {name for name in environments if not name.startswith(("example-", "layers-"))}
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == mine
