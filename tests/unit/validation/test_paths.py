"""Paths are written for people, and read again."""

import pytest

from components.validation.paths import FieldPath, format_path, split_path


@pytest.mark.parametrize(
    ("path", "loc"),
    [
        ("", ()),
        ("size.min", ("size", "min")),
        ("taints[0].key", ("taints", 0, "key")),
        ("labels[example.com/a.b]", ("labels", "example.com/a.b")),
        ("labels[a]b]", ("labels", "a]b")),
        ("nodeClass.tags[a\nb]", ("nodeClass", "tags", "a\nb")),
    ],
)
def test_a_path_is_split_where_it_was_joined(path: str, loc: FieldPath) -> None:
    assert split_path(path) == loc
    assert format_path(loc) == path
