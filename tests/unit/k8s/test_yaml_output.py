"""Manifests as YAML text, as `kubectl get -o yaml` prints them."""

from typing import Any

import pytest

from components.k8s.yaml_documents import read_documents
from components.k8s.yaml_output import to_yaml


def test_keys_are_sorted_lists_not_indented_and_text_of_several_lines_is_a_block() -> None:
    manifest = {"kind": "A", "apiVersion": "v1", "spec": {"items": [{"b": 1, "a": "x: y"}], "script": "a\n  b\n"}}
    assert to_yaml(manifest) == (
        "apiVersion: v1\nkind: A\nspec:\n  items:\n  - a: 'x: y'\n    b: 1\n  script: |\n    a\n      b\n"
    )


@pytest.mark.parametrize(
    "text", ["y", "on", "1e3", "0o7", "0b1", "1_000", "~", "null", "", "<<", "12", "1.5", "#", "é", "a: b"]
)
def test_text_is_read_back_as_text(text: str) -> None:
    manifest: dict[str, Any] = {"a": text, text or "b": [text]}
    (document,) = read_documents(to_yaml(manifest))
    assert document.content == manifest


def test_a_value_that_is_there_twice_is_written_twice() -> None:
    shared = {"a": 1}
    assert to_yaml({"b": shared, "c": shared}) == "b:\n  a: 1\nc:\n  a: 1\n"
