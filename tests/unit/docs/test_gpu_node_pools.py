"""The page about pools lists every violation."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[3]


def said_in_code() -> dict[str, bool]:
    """Ids of what pools are checked for, and whether each is a warning."""
    said: dict[str, bool] = {"POOL-13": False}
    for file in (ROOT / "components" / "gpu_node_pool").rglob("*.py"):
        for call in ast.walk(ast.parse(file.read_text())):
            if isinstance(call, ast.Call) and ast.unparse(call.func) in ("Violation", "rule_error"):
                rule = call.args[0]
                if isinstance(rule, ast.Constant) and isinstance(rule.value, str):
                    said[rule.value] = "Severity.WARNING" in ast.unparse(call)
    return said


def test_the_page_lists_every_violation_once_and_marks_warnings() -> None:
    page = (ROOT / "docs" / "gpu-node-pools.md").read_text().partition("## All findings")[2]
    rows = re.findall(r"^\| <a id=\"[\w-]+\"></a>([A-Z]+-\d+) \| (error|warning) \|", page, re.MULTILINE)
    assert {rule: severity == "warning" for rule, severity in rows} == said_in_code()
    assert len(rows) == len(said_in_code())
