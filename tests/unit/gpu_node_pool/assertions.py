"""How a spec is refused, in a form that tests can compare."""

from typing import Any

import pytest
from pydantic import ValidationError

from components.gpu_node_pool.base import Pool

Refusal = tuple[str, tuple[int | str, ...], str, str]


def refusals(kind: type[Pool], spec: dict[str, Any]) -> list[Refusal]:
    """Rule, place, message and fix of everything that a spec is refused for. Fails when it is accepted."""
    with pytest.raises(ValidationError) as refused:
        kind.model_validate(spec)
    return [
        (context["rule"], details["loc"], context["message"], context["fix"])
        for details in refused.value.errors()
        for context in [details["ctx"]]
    ]


def warnings(kind: type[Pool], spec: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    """Rule, path, message and fix of everything that is said about a spec that is accepted."""
    return [(found.rule, found.path, found.message, found.fix) for found in kind.model_validate(spec).check()]
