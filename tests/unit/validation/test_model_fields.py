"""What a model has at a location."""

from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from components.validation.model import FrozenList, StrictModel
from components.validation.model_fields import Place, keys_of, place_at
from components.validation.one_of import OneOf
from components.validation.paths import FieldPath


class Oven(StrictModel):
    kind: Literal["oven"]
    max_degrees: int = 180


class Stove(StrictModel):
    kind: Literal["stove"]
    plates: int = 4


Heat = Annotated[Oven | Stove, OneOf("kind")]


class Kitchen(StrictModel):
    main_heat: Heat
    other_heat: Heat | None = None
    heats: FrozenList[Heat] = ()
    by_name: dict[str, Oven] = Field(default_factory=dict)
    either: int | dict[str, int] = 0


def test_keys_are_those_of_a_file() -> None:
    assert keys_of(Kitchen) == ["mainHeat", "otherHeat", "heats", "byName", "either"]


@pytest.mark.parametrize(
    ("loc", "value", "owner", "types"),
    [
        ((), {}, None, (Kitchen,)),
        (("byName",), {}, Kitchen, (dict[str, Oven],)),
        (("byName", "a"), {}, None, (Oven,)),
        (("byName", "a", "maxDegrees"), {}, Oven, (int,)),
        (("by_name", "a", "max_degrees"), {}, Oven, (int,)),
        (("byName", "a", "plates"), {}, Oven, ()),
        (("mainHeat", "maxDegrees"), {"mainHeat": {"kind": "oven"}}, Oven, (int,)),
        (("mainHeat", "maxDegrees"), {"mainHeat": {"kind": "stove"}}, Stove, ()),
        (("otherHeat", "plates"), {"otherHeat": {"kind": "stove"}}, Stove, (int,)),
        (("heats", 1, "plates"), {"heats": [{"kind": "oven"}, {"kind": "stove"}]}, Stove, (int,)),
        (("heats", 1, "plates"), {"heats": [{"kind": "oven"}]}, Oven, (int,)),
        (("either",), {"either": {"a": 1}}, Kitchen, (int, dict[str, int])),
        (("either", "a"), {"either": {"a": 1}}, None, (int,)),
        (("nothing", "below"), 7, None, ()),
    ],
)
def test_place_has_the_types_of_the_chosen_member(
    loc: FieldPath, value: Any, owner: Any, types: tuple[Any, ...]
) -> None:
    place = place_at(Kitchen, loc, value)
    assert (place.owner, place.types) == (owner, types)


def test_place_of_a_union_has_its_models_and_the_words_that_choose_one() -> None:
    place = place_at(Kitchen, ("mainHeat",), {})
    assert (place.models, place.tags) == ([Oven, Stove], ["oven", "stove"])
    assert place.chosen({"kind": "stove"}).models == [Stove]
    assert place.chosen({"kind": "fire"}).models == [Oven, Stove]
    assert Place(None, (Oven, int)).tags == []
