"""Patches as the API machinery merges them."""

from typing import Any

from components.runtimes.explain.strategic_merge import merge


def names(merged: dict[str, Any], field: str = "volumes") -> list[str]:
    return [each["name"] for each in merged[field]]


def test_maps_are_merged_and_the_original_stays_as_it_was() -> None:
    original = {"nodeSelector": {"a": "1"}, "priority": 1}
    assert merge(original, {"nodeSelector": {"b": "2"}}) == {"nodeSelector": {"a": "1", "b": "2"}, "priority": 1}
    assert original == {"nodeSelector": {"a": "1"}, "priority": 1}


def test_a_list_with_keys_is_merged_item_by_item() -> None:
    original = {"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]}
    merged = merge(original, {"env": [{"name": "B", "value": "3"}]})
    assert merged == {"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "3"}]}


def test_both_sources_of_a_volume_stay_because_nothing_removes_one() -> None:
    merged = merge(
        {"volumes": [{"name": "a", "emptyDir": {}}]}, {"volumes": [{"name": "a", "hostPath": {"path": "/"}}]}
    )
    assert merged == {"volumes": [{"name": "a", "emptyDir": {}, "hostPath": {"path": "/"}}]}


def test_mounts_are_merged_by_their_paths() -> None:
    merged = merge(
        {"volumeMounts": [{"name": "a", "mountPath": "/x"}]}, {"volumeMounts": [{"name": "b", "mountPath": "/x"}]}
    )
    assert merged == {"volumeMounts": [{"name": "b", "mountPath": "/x"}]}


def test_other_lists_are_replaced() -> None:
    assert merge({"tolerations": [{"key": "a"}]}, {"tolerations": [{"key": "b"}]}) == {"tolerations": [{"key": "b"}]}


def test_a_new_item_comes_before_those_that_the_patch_does_not_name() -> None:
    original = {"volumes": [{"name": "a"}, {"name": "b"}]}
    assert names(merge(original, {"volumes": [{"name": "c"}]})) == ["c", "a", "b"]
    assert names(merge(original, {"volumes": [{"name": "b"}]})) == ["a", "b"]
    assert names(merge(original, {"volumes": [{"name": "b"}, {"name": "c"}]})) == ["a", "b", "c"]
    assert names(merge(original, {"volumes": [{"name": "b"}, {"name": "a"}]})) == ["b", "a"]


def test_a_list_that_is_not_there_is_taken_as_it_is() -> None:
    assert merge({}, {"volumes": [{"name": "a"}]}) == {"volumes": [{"name": "a"}]}
