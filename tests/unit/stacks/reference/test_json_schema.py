"""The schema and the reference page are what the models make of them, and fit the files that are there."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from stacks.reference.json_schema import BASE_SCHEMA, STACK_SCHEMA, base_schema, stack_schema, to_json
from stacks.reference.page import PAGE, reference
from stacks.upgrade import PAGE as UPGRADING
from stacks.upgrade import upgrading_page

ROOT = Path(__file__).parent.parent.parent.parent.parent
STACKS = sorted((ROOT / "stacks").glob("Pulumi.*.yaml"))
BASES = sorted(file for file in (ROOT / "stacks").glob("*.yaml") if file not in STACKS)


@pytest.fixture(autouse=True)
def in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (STACK_SCHEMA, lambda: to_json(stack_schema("training-platform"))),
        (BASE_SCHEMA, lambda: to_json(base_schema("training-platform"))),
        (PAGE, reference),
        (UPGRADING, lambda: upgrading_page(UPGRADING.read_text())),
    ],
    ids=["stack", "base", "page", "upgrading"],
)
def test_generated_files_are_up_to_date(file: Path, text: Any) -> None:
    assert file.read_text(encoding="utf-8") == text(), "run `python -m stacks write`"


def whole(key: str) -> dict[str, Any]:
    """The schema of one section of a stack's file."""
    schema = stack_schema("training-platform")
    return {**schema["properties"]["config"]["properties"][f"training-platform:{key}"], "$defs": schema["$defs"]}


@pytest.mark.parametrize("file", STACKS, ids=lambda file: file.name)
def test_stack_files_match_the_schema_and_name_it(file: Path) -> None:
    schema = json.loads(STACK_SCHEMA.read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.validate(yaml.safe_load(file.read_text()), schema)
    assert file.read_text().startswith("# yaml-language-server: $schema=reference/stack.json\n")


@pytest.mark.parametrize("file", BASES, ids=lambda file: file.name)
def test_inherited_files_match_their_schema_and_name_it(file: Path) -> None:
    sections = yaml.safe_load(file.read_text())
    for key, value in sections.items():
        jsonschema.validate(value, whole(key))
    assert set(sections) <= set(base_schema("training-platform")["properties"])
    assert file.read_text().startswith("# yaml-language-server: $schema=reference/base.json\n")


@pytest.mark.parametrize(
    ("section", "value", "right"),
    [
        ("jobset", {"replicas": 2}, True),
        ("jobset", {"replica": 2}, False),
        ("jobset", {"replicas": 0}, False),
        ("jobset", {"replicas": "2"}, False),
        ("jobset", {"version": 2.3}, False),
        ("runtimes", {"a": {"framework": "mlx", "sharedMemory": "16Gi"}}, True),
        ("runtimes", {"a": {"framework": "mlx", "name": "b"}}, False),
        ("runtimes", {"a": {"framework": "mlxx"}}, False),
        ("runtimes", {"a": {"framework": "torch", "openmpiMajor": 4}}, False),
        ("runtimes", {"a": None}, True),
        ("runtimes", {"a": {"nodes": 4}}, True),
        ("runtimes", {"a": {"node": 4}}, False),
        ("gpuNodePools", {"a": {"provider": "simulated", "nodes": 1, "gpusPerNode": 8, "memory": "1Ti"}}, True),
        ("gpuNodePools", {"a": {"provider": "simulated", "nodes": 1}}, False),
        ("gpuNodePools", {"a": {"provider": "stack", "stack": "a/b/c"}}, True),
        ("cluster", {"context": "a", "stack": "a/b/c"}, True),
        ("cluster", {"kubeconfig": "a"}, False),
        ("images", {"digests": "always"}, False),
        ("policies", {"warnings": "refused"}, True),
    ],
)
def test_schema_accepts_valid_files_and_rejects_invalid_ones(section: str, value: Any, right: bool) -> None:
    assert jsonschema.Draft7Validator(whole(section)).is_valid(value) == right
