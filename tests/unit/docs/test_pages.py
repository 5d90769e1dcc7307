"""The pages for people: no rule of stack files and no environment is missing there, no link and no test is made up."""

import re
from pathlib import Path

import pytest

from stacks.settings.error_report import InvalidSettingsError
from stacks.settings.load import load_sections, load_stack
from stacks.settings.resolve import resolve
from stacks.settings.stack_file import StackFile
from stacks.upgrade import report

ROOT = Path(__file__).parent.parent.parent.parent
PROJECT = "training-platform"
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
    assert sorted(set(re.findall(r"STK-\d+", code))) == re.findall(
        r"^\| <a id=\"[\w-]+\"></a>(STK-\d+) \|", page, re.MULTILINE
    )


def test_messages_that_are_quoted_are_in_the_code() -> None:
    files = [file for folder in ("components", "stacks") for file in (ROOT / folder).rglob("*.py")]
    code = re.sub(r'"\s*f?"', "", "".join(file.read_text() for file in files))
    section = (ROOT / "docs" / "troubleshooting.md").read_text().partition("## Messages of this project\n")[2]
    quoted = re.findall(r"^\| `([^`]+)` \|", section.partition("\n## ")[0], re.MULTILINE)
    assert quoted
    assert [message for message in quoted if message not in code] == []


def test_upgrade_that_is_shown_is_what_the_command_prints() -> None:
    sections = {
        "cluster": {"stack": "acme/clusters/shared"},
        "jobset": {"version": "0.11.1"},
        "trainer": {"version": "2.2.0"},
        "runtimes": {"deepspeed-distributed": {"framework": "deepspeed"}},
    }
    printed, _ = report(resolve(load_sections(sections, StackFile("prod", PROJECT))), "2.3.0")
    page = (ROOT / "docs" / "upgrading.md").read_text()
    (shown,) = re.findall(r"\$ python -m stacks upgrade .*?\n(.*?\nTrainJobs in the cluster\n)", page, re.DOTALL)
    assert [line for line in shown.splitlines() if line.removesuffix("...").rstrip() not in printed] == []


def test_error_that_is_shown_is_what_the_check_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stacks").mkdir()
    lines = ["config:", *["#"] * 8, f"  {PROJECT}:cluster: {{context: prod}}", f"  {PROJECT}:jobset:", "    replica: 2"]
    (tmp_path / "stacks" / "Pulumi.prod.yaml").write_text("\n".join(lines))
    with pytest.raises(InvalidSettingsError) as raised:
        resolve(load_stack("prod", PROJECT))
    page = (ROOT / "docs" / "troubleshooting.md").read_text()
    (shown,) = re.findall(r"```\n(\d .*?)```", page, re.DOTALL)
    for part in shown.split("..."):
        assert part.strip() in str(raised.value)


def test_every_id_in_the_code_is_an_anchor_of_one_page() -> None:
    files = [file for folder in ("components", "stacks") for file in (ROOT / folder).rglob("*.py")]
    ids = {each for file in files for each in re.findall(r'"([A-Z][A-Z0-9]{2,4}-\d{2})"', file.read_text())}
    anchors = [each for page in PAGES for each in re.findall(r'<a id="([^"]+)"></a>', page.read_text())]
    assert ids
    assert {each.lower() for each in ids} - set(anchors) == set()
    assert len(anchors) == len(set(anchors))


def test_ids_are_anchors() -> None:
    pages = {page.name: page.read_text() for page in PAGES}
    named = {
        name: re.findall(r'^\| <a id="([^"]+)"></a>([\w-]+) \|', text, re.MULTILINE) for name, text in pages.items()
    }
    assert {name for name, ids in named.items() if ids} >= {"gpu-node-pools.md", "operators.md", "troubleshooting.md"}
    assert [rule for ids in named.values() for anchor, rule in ids if anchor != rule.lower()] == []


def text_of(page: Path) -> str:
    """A page without its code."""
    return re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)


def anchors(page: Path) -> set[str]:
    """What a link may name of a page: its headings, as GitHub writes them, and its explicit anchors."""
    headings = re.findall(r"^#+ (.*)$", text_of(page), re.MULTILINE)
    of_headings = {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}
    return of_headings | set(re.findall(r'<a id="([^"]+)"></a>', text_of(page)))


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
