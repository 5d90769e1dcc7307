"""What a stack's file says on top of the file that it inherits from."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from components.jobset import JobSetOperatorSpec
from stacks.settings.inheritance import merge_patch
from stacks.settings.load import load_sections
from stacks.settings.resolve import ResolvedStack, resolve
from stacks.settings.stack_file import StackFile

from ..conftest import PROJECT


@pytest.mark.parametrize(
    ("base", "own", "merged"),
    [
        ({}, {"a": 1}, {"a": 1}),
        ({"a": 1}, {}, {"a": 1}),
        ({"a": 1, "b": 2}, {"b": 3, "c": 4}, {"a": 1, "b": 3, "c": 4}),
        ({"a": {"b": {"c": 1, "d": 2}}}, {"a": {"b": {"c": 3}}}, {"a": {"b": {"c": 3, "d": 2}}}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
        ({"a": {"b": 1}}, {"a": 2}, {"a": 2}),
        ({"a": 1}, {"a": {"b": 2}}, {"a": {"b": 2}}),
        ({"a": 1, "b": 2}, {"a": None}, {"b": 2}),
        ({}, {"a": None}, {"a": None}),
        ({"a": {"b": 1}}, {"a": {"c": None}}, {"a": {"b": 1, "c": None}}),
    ],
)
def test_mappings_are_merged_and_other_values_are_replaced(
    base: dict[str, Any], own: dict[str, Any], merged: dict[str, Any]
) -> None:
    assert merge_patch(base, own) == merged


def test_stack_file_is_merged_onto_the_inherited_file(project: Path, read: Callable[[str], ResolvedStack]) -> None:
    (project / "stacks" / "shared.yaml").write_text(
        "jobset: {replicas: 2, nodeSelector: {a: b}}\nruntimes:\n  one: {framework: mlx}\n  two: {framework: jax}\n"
    )
    settings = read(
        "inherits: shared\ncluster: {context: local, kubeconfig: kubeconfig}\n"
        "jobset: {replicas: 3}\nruntimes: {one: null, three: {framework: torch}}"
    )
    assert settings.jobset == JobSetOperatorSpec(replicas=3, node_selector={"a": "b"})
    assert list(settings.runtimes) == ["two", "three"]
    assert settings.trainer is None


def test_none_removes_an_inherited_layer(project: Path, read: Callable[[str], ResolvedStack]) -> None:
    (project / "stacks" / "shared.yaml").write_text("jobset: {}\ntrainer: {}\n")
    own = "inherits: shared\ncluster: {context: local, kubeconfig: kubeconfig}\n"
    assert list(read(own).operators) == ["jobset", "trainer"]
    assert list(read(own + "jobset: none").operators) == ["trainer"]


def test_null_of_the_engine_for_a_missing_section_is_ignored(
    project: Path, read: Callable[[str], ResolvedStack]
) -> None:
    (project / "stacks" / "shared.yaml").write_text("jobset: {}\n")
    sections = {"inherits": "shared", "cluster": {"context": "local", "kubeconfig": "kubeconfig"}}
    read("inherits: shared\ncluster: {context: local, kubeconfig: kubeconfig}")
    settings = resolve(load_sections({**sections, "jobset": "none"}, StackFile("test", PROJECT)))
    assert list(settings.operators) == ["jobset"]
