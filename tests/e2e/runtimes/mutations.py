"""Mistakes that people make in a manifest, and some that they don't: strategies for a manifest with one in it."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from tests.unit.runtimes import crd

Place = tuple[Any, str | int]
"""A mapping or list, and a key or index in it."""

NUMBERS = [0, 1, -1, 1.0, 1.5, 2**31 - 1, 2**31, -(2**31) - 1, 2**63 - 1, 2**63, -(2**63) - 1, 1e30]
TEXTS = [
    "",
    "a",
    "1",
    "true",
    "node",
    "Ready",
    "Other",
    "a" * 300,
    "A_b",
    "\u00e9",
    " a",
    "http",
    "2006-01-02T15:04:05Z",
]
# But 1e1.5, which the CRD takes for a quantity, and then no controller can read: we refuse it.
QUANTITIES = ["1Gi", "1 Gi", "1GB", "500m", "-1", "+1", ".5", "1.", "1e3", "1E", "0x1"]
SCALARS = st.sampled_from([None, True, False, *NUMBERS, *TEXTS, *QUANTITIES])
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["name", "a", "key", "labels", "containers", "spec"]), inner, max_size=2)
    ),
    max_leaves=3,
)


def places(value: Any) -> Iterator[Place]:
    """Everything inside a manifest."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, key
        if isinstance(inner, dict | list):
            yield from places(inner)


def objects(schema: crd.Schema, value: Any) -> Iterator[tuple[dict[str, Any], crd.Schema]]:
    """The mappings inside a manifest that have a schema with fields."""
    if isinstance(value, dict) and "properties" in schema:
        yield value, schema
        for name, inner in value.items():
            yield from objects(schema["properties"].get(name, {}), inner)
    elif isinstance(value, list):
        for item in value:
            yield from objects(schema.get("items", {}), item)


@st.composite
def renamed(draw: DrawFn, manifest: dict[str, Any]) -> None:
    owner, key = draw(st.sampled_from([(owner, key) for owner, key in places(manifest) if isinstance(key, str)]))
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in str(key))
    others = [snake, key[:-1], f"{key}s", key.lower(), key.capitalize(), "name", "value", "template", "", "a b"]
    value = owner.pop(key)
    owner[draw(st.sampled_from(others))] = value


@st.composite
def replaced(draw: DrawFn, manifest: dict[str, Any]) -> None:
    owner, key = draw(st.sampled_from(list(places(manifest))))
    owner[key] = draw(VALUES)


@st.composite
def bent(draw: DrawFn, manifest: dict[str, Any]) -> None:
    """A scalar that is nearly the same."""
    found = [(owner, key) for owner, key in places(manifest) if not isinstance(owner[key], dict | list | None)]
    owner, key = draw(st.sampled_from(found))
    value = owner[key]
    near: list[Any] = [not value, str(value)]
    if isinstance(value, str):
        near = [value.lower(), value.upper(), value[:-1], value * 40, f" {value}", f"${value}"]
        near += [f"{value}{end}" for end in (" ", "-", ".a", "/a", "b")]
        near += [int(value)] if value.isascii() and value.isdigit() else []
    else:
        near += [-value, -value - 1, float(value), value + 0.5, value * 2**31]
    owner[key] = draw(st.sampled_from(near))


@st.composite
def removed(draw: DrawFn, manifest: dict[str, Any]) -> None:
    owner, key = draw(st.sampled_from(list(places(manifest))))
    del owner[key]


@st.composite
def doubled(draw: DrawFn, manifest: dict[str, Any]) -> None:
    """A list item twice, or nearly twice."""
    items = [(owner, key) for owner, key in places(manifest) if isinstance(key, int)]
    owner, key = draw(st.sampled_from(items or [([0], 0)]))
    copy = deepcopy(owner[key])
    owner.insert(draw(st.integers(0, len(owner))), copy)
    if isinstance(copy, dict) and copy and draw(st.booleans()):
        copy.pop(draw(st.sampled_from(sorted(copy))))


@st.composite
def reordered(draw: DrawFn, manifest: dict[str, Any]) -> None:
    lists = [owner[key] for owner, key in places(manifest) if isinstance(owner[key], list)]
    draw(st.sampled_from(lists or [[]])).reverse()


@st.composite
def added(draw: DrawFn, manifest: dict[str, Any], schema: crd.Schema) -> None:
    """A field that the API has there."""
    owner, found = draw(st.sampled_from(list(objects(schema, manifest))))
    name = draw(st.sampled_from(sorted(found["properties"])))
    owner[name] = draw(st.just(crd.smallest(found["properties"][name])) | VALUES)


@st.composite
def moved(draw: DrawFn, manifest: dict[str, Any]) -> None:
    """A field to an object where it doesn't belong."""
    owner, key = draw(st.sampled_from([(owner, key) for owner, key in places(manifest) if isinstance(key, str)]))
    value = owner.pop(key)
    others = [manifest, *(owner[key] for owner, key in places(manifest) if isinstance(owner[key], dict))]
    draw(st.sampled_from(others))[key] = value


@st.composite
def crossed(draw: DrawFn, manifest: dict[str, Any], schema: crd.Schema, other: dict[str, Any]) -> None:
    """A field as another runtime has it."""
    given = [(name, value, found) for donor, found in objects(schema, other) for name, value in donor.items()]
    name, value, place = draw(st.sampled_from(given))
    owners = [owner for owner, found in objects(schema, manifest) if found is place]
    draw(st.sampled_from(owners or [{}]))[name] = deepcopy(value)


@st.composite
def mistaken(draw: DrawFn, schema: crd.Schema, manifest: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """The manifest with a mistake or two in it, which may be none: a change that is all right."""
    manifest = deepcopy(manifest)
    wrong = [renamed, replaced, removed, doubled, moved]
    subtle = [
        bent,
        reordered,
        lambda manifest: added(manifest, schema),
        lambda manifest: crossed(manifest, schema, other),
    ]
    for _ in range(draw(st.sampled_from([1, 1, 1, 2, 3]))):
        draw(draw(st.sampled_from(draw(st.sampled_from([wrong, subtle]))))(manifest))
    return manifest
