"""What a program is told about the arguments of a spec."""

import ast
import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, TypeAdapter, ValidationError

from components.gpu_node_pool import EksPool, GkePool, Size
from components.jobset import ExternalJobSet, JobSetOperatorSpec
from components.runtimes import ClusterTrainingRuntime, InvalidRuntimeError, Placement, VolumeClaim, deepspeed
from components.validation.invalid import InvalidSpecError
from components.validation.model import FrozenList, StrictModel
from components.validation.one_of import OneOf

COMPONENTS = Path(__file__).parent.parent.parent.parent / "components"


class Oven(StrictModel):
    kind: Literal["oven"]
    degrees: int = Field(default=180, le=250)


class Stove(StrictModel):
    kind: Literal["stove"]


class Kitchen(StrictModel):
    table_size: int
    lit: bool = False
    shelves: FrozenList[str] = ()
    names: dict[str, str] = Field(default_factory=dict)
    oven: Oven | None = None
    heat: Annotated[Oven | Stove, OneOf("kind")] | None = None


def lines(build: Callable[[], object]) -> list[str]:
    """The message of a program that is told what is wrong."""
    with pytest.raises(InvalidSpecError) as error:
        build()
    assert error.value.__suppress_context__
    return str(error.value).splitlines()


def test_all_errors_are_raised_at_once_in_the_words_of_a_program() -> None:
    arguments: dict[str, Any] = {"lit": "yes", "shelves": "ab", "names": None, "oven": 3, "heat": {}, "table": 2}
    assert lines(lambda: Kitchen(**arguments)) == [
        "Kitchen is invalid:",
        '  lit: "yes" is not a boolean. Fix: Set True or False. [STK-03]',
        '  shelves: "ab" is not a list. Fix: Set a list. [STK-03]',
        "  names: None is not a dict. Fix: Set a dict. [STK-03]",
        "  oven: 3 is not a spec. Fix: Set Oven or a dict of its fields. [STK-03]",
        "  heat.kind: `kind` is required. Fix: Add `kind`. Choose from `oven`, `stove`. [STK-02]",
        "  table: Unknown key `table`. Fix: Did you mean `table_size`? [STK-01]",
    ]


def test_a_part_given_as_a_dict_is_reported_by_the_whole() -> None:
    assert lines(lambda: Kitchen(table_size=1, oven={"kind": "oven", "degrees": 300})) == [  # type: ignore[arg-type]
        "Kitchen is invalid:",
        "  oven.degrees: 300 is not allowed. Fix: Write 250 or less. [STK-03]",
    ]


def test_keys_are_reported_as_the_program_spells_them() -> None:
    assert lines(lambda: Kitchen(tableSize="8"))[1].startswith('  tableSize: "8" is not an integer.')  # type: ignore[call-arg]
    assert lines(lambda: Kitchen(table_size="8"))[1].startswith('  table_size: "8" is not an integer.')  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("build", "rules"),
    [
        (lambda: EksPool(provider="eks", machine_type=3), {"STK-02", "STK-03"}),  # type: ignore[call-arg, arg-type]
        (
            lambda: GkePool(
                provider="gke",
                cluster="c",
                location="us-central1",
                zones=("us-central1-a",),
                machine_type="a2-highgpu-8g",
                size=Size(max=1),
                disk_gib=3,
            ),
            {"POOL-06"},
        ),
        (lambda: Size(max=0), {"STK-03"}),
        (lambda: JobSetOperatorSpec(version="latest", replicas=0), {"VER-07", "STK-03"}),
        (lambda: ExternalJobSet(mode="managed"), {"STK-03"}),  # type: ignore[arg-type]
        (lambda: Placement(gpus_per_node=-1), {"STK-03"}),
        (lambda: VolumeClaim(name="a"), {"STK-02"}),  # type: ignore[call-arg]
    ],
)
def test_every_spec_raises_the_same_error(build: Callable[[], object], rules: set[str]) -> None:
    with pytest.raises(InvalidSpecError) as error:
        build()
    assert {violation.rule for violation in error.value.violations} == rules


@pytest.mark.parametrize("build", [ClusterTrainingRuntime, lambda: deepspeed(nodes="2")])  # type: ignore[arg-type]
def test_an_invalid_runtime_is_an_invalid_spec(build: Callable[[], object]) -> None:
    with pytest.raises(InvalidSpecError) as error:
        build()
    assert type(error.value) is InvalidRuntimeError


def test_validation_inside_of_other_models_raises_pydantics_error() -> None:
    with pytest.raises(ValidationError) as error:
        TypeAdapter(list[Kitchen]).validate_python([{"table_size": "1"}, {"oven": {"kind": "oven", "degrees": 300}}])
    assert [(each["loc"], each["type"]) for each in error.value.errors()] == [
        ((0, "table_size"), "int_type"),
        ((1, "tableSize"), "missing"),
        ((1, "oven", "degrees"), "less_than_equal"),
    ]


def test_specs_and_their_errors_survive_a_copy() -> None:
    kitchen = Kitchen(table_size=1, oven=Oven(kind="oven"), shelves=("a",))
    assert pickle.loads(pickle.dumps(kitchen)) == copy.deepcopy(kitchen) == kitchen  # noqa: S301 - our own bytes
    assert kitchen.model_copy(update={"lit": True}).lit
    with pytest.raises(InvalidRuntimeError) as error:
        deepspeed(nodes=0)
    again = pickle.loads(pickle.dumps(error.value))  # noqa: S301
    assert (type(again), str(again)) == (InvalidRuntimeError, str(error.value))
    assert again.violations == error.value.violations


def test_a_default_is_named_so_that_type_checkers_know_it() -> None:
    calls = [
        (file.name, call.lineno)
        for file in COMPONENTS.rglob("*.py")
        for call in ast.walk(ast.parse(file.read_text()))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Field" and call.args
    ]
    assert calls == []
