"""Errors about arguments in the words of a program."""

from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, ValidationError

from components.validation.argument_errors import argument_violations, in_program_spelling, suggest
from components.validation.model import StrictModel
from components.validation.one_of import OneOf
from components.validation.violation import Violation


class Spot(StrictModel):
    kind: Literal["spot"]
    max_price: int = Field(default=1, ge=1)


class OnDemand(StrictModel):
    kind: Literal["on_demand"]


class Size(StrictModel):
    max: int


class Pool(StrictModel):
    gpus_per_node: int
    autoscaled: bool = False
    labels: dict[str, str] = Field(default_factory=dict)
    capacity: Annotated[Spot | OnDemand, OneOf("kind")] | None = None
    size: Size | None = None


def said(given: Any, path: str = "") -> list[tuple[str, str, str, str]]:
    with pytest.raises(ValidationError) as error:
        Pool.model_validate(given)
    return [
        (each.rule, each.path, each.message, each.fix) for each in argument_violations(error.value, Pool, given, path)
    ]


NODES = {"gpus_per_node": 8}


@pytest.mark.parametrize(
    ("given", "violation"),
    [
        ({}, ("STK-02", "gpus_per_node", "`gpus_per_node` is required.", "Add `gpus_per_node`.")),
        ({"gpusPerNode": 8, "labl": {}}, ("STK-01", "labl", "Unknown key `labl`.", "Did you mean `labels`?")),
        (
            {"gpus_per_nod": 8},
            ("STK-01", "gpus_per_nod", "Unknown key `gpus_per_nod`.", "Did you mean `gpus_per_node`?"),
        ),
        (NODES | {"autoscaled": "yes"}, ("STK-03", "autoscaled", '"yes" is not a boolean.', "Set True or False.")),
        (NODES | {"autoscaled": None}, ("STK-03", "autoscaled", "None is not a boolean.", "Set True or False.")),
        (NODES | {"labels": []}, ("STK-03", "labels", "A list is not a dict.", "Set a dict.")),
        (NODES | {"labels": {"a": 2}}, ("STK-03", "labels[a]", "2 is not a string.", 'Put it in quotes: "2".')),
        (NODES | {"labels": {"a": True}}, ("STK-03", "labels[a]", "True is not a string.", "Set a string.")),
        ({"gpus_per_node": {}}, ("STK-03", "gpus_per_node", "A dict is not an integer.", "Set an integer.")),
        (NODES | {"size": 4}, ("STK-03", "size", "4 is not a spec.", "Set Size or a dict of its fields.")),
        (
            NODES | {"capacity": {"kind": "spott"}},
            ("STK-03", "capacity.kind", '"spott" is not a known value.', "Did you mean `spot`?"),
        ),
        (
            NODES | {"capacity": {}},
            (
                "STK-02",
                "capacity.kind",
                "`kind` is required.",
                "Add `kind`. Choose from `on_demand`, `spot`.",
            ),
        ),
        (
            NODES | {"capacity": {"kind": "spot", "maxPrice": 0}},
            ("STK-03", "capacity.maxPrice", "0 is not allowed.", "Write 1 or more."),
        ),
        (
            NODES | {"capacity": {"kind": "spot", "max_price": 0}},
            ("STK-03", "capacity.max_price", "0 is not allowed.", "Write 1 or more."),
        ),
    ],
)
def test_error_has_the_key_as_it_was_written_and_a_fix_in_python(given: Any, violation: tuple[str, ...]) -> None:
    assert said(given) == [violation]


def test_path_of_the_value_precedes_the_path_of_the_error() -> None:
    assert [path for _, path, *_ in said({}, "gpu_node_pools.a")] == ["gpu_node_pools.a.gpus_per_node"]


def test_path_and_quoted_keys_are_spelled_in_snake_case() -> None:
    violation = Violation("A-1", "gpuNodePools.a", "Set `gpusPerNode` of H100Node.", "Remove `nodePool`.")
    assert in_program_spelling(violation) == Violation(
        "A-1", "gpu_node_pools.a", "Set `gpus_per_node` of H100Node.", "Remove `node_pool`."
    )
    assert in_program_spelling(violation, spell_path=False).path == "gpuNodePools.a"


@pytest.mark.parametrize(("key", "fix"), [("labl", "Did you mean `labels`?"), ("x", "Choose from `labels`, `taints`.")])
def test_unknown_key_has_the_nearest_or_all_known_keys_as_its_fix(key: str, fix: str) -> None:
    assert suggest(key, ["taints", "labels"]) == fix
