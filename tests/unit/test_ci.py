"""The workflows of GitHub run what `.ci/run` runs, and their files can be read."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yaml"))


def workflow(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / ".github" / "workflows" / f"{name}.yaml").read_text())
    return loaded


def make_targets(jobs: dict[str, Any]) -> set[str]:
    """The targets that a workflow's jobs run, those of a matrix included."""
    found: set[str] = set()
    for job in jobs.values():
        matrix = job.get("strategy", {}).get("matrix", {})
        of_matrix = {*matrix.get("target", []), *(each["target"] for each in matrix.get("include", []))}
        for step in job["steps"]:
            (target,) = re.findall(r"make (\S.*)", step.get("run", "make -"))
            found |= of_matrix if target == "${{ matrix.target }}" else {target}
    return found - {"-"}


def test_workflow_of_every_change_runs_the_targets_of_the_ci_script() -> None:
    (script,) = re.findall(r"^make (.*)$", (ROOT / ".ci" / "run").read_text(), re.MULTILINE)
    assert make_targets(workflow("ci")["jobs"]) == set(script.split())


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_workflow_runs_targets_that_exist_with_read_rights_only(file: Path) -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    loaded = workflow(file.stem)
    assert make_targets(loaded["jobs"]) <= targets
    assert loaded["permissions"] == {"contents": "read"}


def test_hooks_run_programs_of_the_project() -> None:
    (repository,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert repository["repo"] == "local"
    assert [hook["id"] for hook in repository["hooks"] if not hook["entry"].startswith(".venv/bin/python -m ")] == []
