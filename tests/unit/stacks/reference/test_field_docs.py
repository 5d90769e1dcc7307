"""Docstrings of fields, which become their descriptions."""

from pathlib import Path

import pytest
from pydantic import Field

from components.validation.model import StrictModel
from stacks.reference.field_docs import docstrings, paragraphs
from stacks.reference.json_schema import KUBERNETES, stack_schema
from stacks.settings.model import StackConfig

ROOT = Path(__file__).parent.parent.parent.parent.parent


class Pool(StrictModel):
    """A pool."""

    max_nodes: int = 4
    """Maximum of
    `max_nodes`.

    Default: 4."""

    undocumented: int = 0

    spare_nodes: int = Field(default=0, ge=0)
    """Fewer than max_nodes, but not max_price."""


class SpotPool(Pool):
    """A pool of spot machines."""

    max_price: float | None = None
    """Price of one of max_nodes."""

    max_nodes: int = 2
    """Default: 2."""


def test_description_is_the_docstring_with_keys_of_a_file() -> None:
    assert docstrings(Pool) == {
        "maxNodes": "Maximum of `maxNodes`.\n\nDefault: 4.",
        "spareNodes": "Fewer than maxNodes, but not max_price.",
    }


def test_inherited_fields_are_described_and_can_be_described_anew() -> None:
    assert docstrings(SpotPool) == {
        "maxNodes": "Default: 2.",
        "spareNodes": "Fewer than maxNodes, but not maxPrice.",
        "maxPrice": "Price of one of maxNodes.",
    }


def test_paragraph_is_one_line() -> None:
    assert paragraphs("  a\n    b\n\n    c") == "a b\n\nc"


def test_every_key_has_a_description(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    schema = stack_schema("training-platform")
    unexplained = {
        (name, key)
        for name, model in schema["$defs"].items()
        if model["$comment"] != KUBERNETES
        for key, value in model.get("properties", {}).items()
        if "description" not in value and "const" not in value
    }
    assert unexplained == set()
    properties = schema["properties"]["config"]["properties"]
    assert list(properties) == [f"training-platform:{field.alias}" for field in StackConfig.model_fields.values()]
    assert all("description" in value for value in properties.values())
