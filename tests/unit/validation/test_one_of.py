"""Unions that a key chooses from, and what is at a location of a model."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, Tag, TypeAdapter, ValidationError

from components.validation.errors import rule_error
from components.validation.model import FrozenList, StrictModel
from components.validation.model_fields import place_at
from components.validation.one_of import OneOf


class Spot(StrictModel):
    kind: Literal["spot"] = "spot"


class Reserved(StrictModel):
    kind: Literal["reserved"]
    max_hours: int = Field(ge=1)


class Literally(StrictModel):
    words: FrozenList[str] = ()


def _form(value: object) -> str:
    return "mapping" if isinstance(value, Mapping | Literally) else "text"


Capacity = Annotated[Spot | Reserved, OneOf("kind")]
Text = Annotated[Annotated[str, Tag("text")] | Annotated[Literally, Tag("mapping")], OneOf("words", _form)]


class Pool(StrictModel):
    capacity: Annotated[Spot | Reserved, OneOf("kind")] = Spot()
    more: dict[str, Capacity] = Field(default_factory=dict)
    env: Mapping[str, Text] = Field(default_factory=dict)
    maybe: Capacity | None = None


def errors(value: dict[str, Any]) -> list[tuple[tuple[int | str, ...], str]]:
    with pytest.raises(ValidationError) as caught:
        Pool.model_validate(value, by_alias=True, by_name=False)
    return [(each["loc"], each["type"]) for each in caught.value.errors()]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"capacity": {"kind": "reserved"}}, [(("capacity", "maxHours"), "missing")]),
        ({"capacity": {"kind": "reserved", "maxHours": 0}}, [(("capacity", "maxHours"), "greater_than_equal")]),
        ({"more": {"reserved": {"kind": "spot", "kinds": 1}}}, [(("more", "reserved", "kinds"), "extra_forbidden")]),
        ({"capacity": {"kind": "on-demand"}}, [(("capacity",), "union_tag_invalid")]),
        ({"maybe": {}}, [(("maybe",), "union_tag_not_found")]),
        (
            {"env": {"A": 1, "B": {"words": [2]}}},
            [(("env", "A"), "string_type"), (("env", "B", "words", 0), "string_type")],
        ),
        # Only the spelling that is asked for is read, inside of a union too.
        (
            {"capacity": {"kind": "reserved", "max_hours": 2}},
            [(("capacity", "maxHours"), "missing"), (("capacity", "max_hours"), "extra_forbidden")],
        ),
    ],
)
def test_errors_are_at_the_path_that_was_written(
    value: dict[str, Any], found: list[tuple[tuple[int | str, ...], str]]
) -> None:
    assert errors(value) == found


def test_errors_of_rules_keep_their_words() -> None:
    class Picky(StrictModel):
        kind: Literal["picky"]

        def model_post_init(self, _: object) -> None:
            raise rule_error("R-1", "No.", "Stop.")

    with pytest.raises(ValidationError) as caught:
        TypeAdapter(Annotated[Spot | Picky, OneOf("kind")]).validate_python({"kind": "picky"})
    (details,) = caught.value.errors()
    assert (details["loc"], details["ctx"]) == ((), {"rule": "R-1", "message": "No.", "fix": "Stop."})


def test_the_member_is_made_and_written_back() -> None:
    pool = Pool.model_validate({"capacity": {"kind": "reserved", "maxHours": 2}, "maybe": {"kind": "spot"}})
    assert pool.capacity == Reserved(kind="reserved", max_hours=2)
    assert pool.model_dump(mode="json", exclude_unset=True) == {
        "capacity": {"kind": "reserved", "maxHours": 2},
        "maybe": {"kind": "spot"},
    }
    assert Pool(capacity=Spot(), env={"A": Literally()}).env == {"A": Literally()}


def test_the_schema_is_that_of_the_members() -> None:
    schema = TypeAdapter(Capacity).json_schema()
    assert [each["$ref"] for each in schema["oneOf"]] == ["#/$defs/Spot", "#/$defs/Reserved"]


@pytest.mark.parametrize(
    ("loc", "value", "owner", "models", "tags"),
    [
        (("capacity",), {}, Pool, [Spot, Reserved], ["spot", "reserved"]),
        (("maybe",), {}, Pool, [Spot, Reserved], ["spot", "reserved"]),
        (("more", "a"), {}, None, [Spot, Reserved], ["spot", "reserved"]),
        (("more", "a", "maxHours"), {"more": {"a": {"kind": "reserved"}}}, Reserved, [], []),
        (("more", "a", "x"), {"more": {"a": {"kind": "spot"}}}, Spot, [], []),
        (("env", "A", "words"), {"env": {"A": {}}}, Literally, [], []),
        (("env", "A", "words", 0), {"env": {"A": {}}}, None, [], []),
        (("nothing", "below"), {}, None, [], []),
    ],
)
def test_the_value_decides_what_is_at_a_location(
    loc: tuple[int | str, ...], value: Any, owner: type | None, models: list[type], tags: list[str]
) -> None:
    place = place_at(Pool, loc, value)
    assert (place.owner, place.models, place.tags) == (owner, models, tags)


def test_a_value_chooses_among_the_models_of_its_place() -> None:
    place = place_at(Pool, ("capacity",), {})
    assert place.chosen({"kind": "spot"}).models == [Spot]
    assert place.chosen("spot").models == [Spot, Reserved]
