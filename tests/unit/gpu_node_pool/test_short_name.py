"""Names that leave room for Pulumi's suffix."""

from components.gpu_node_pool.short_name import shorten_name


def test_name_with_room_for_the_suffix_is_unchanged() -> None:
    assert shorten_name("a" * 32, 40) == "a" * 32


def test_longer_name_ends_with_a_hash_of_the_whole_name() -> None:
    first, second = shorten_name("a" * 32 + "b", 40), shorten_name("a" * 32 + "c", 40)
    assert [len(first), len(second)] == [32, 32]
    assert first.startswith("a" * 25 + "-")
    assert first != second
