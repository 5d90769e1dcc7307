"""Strategic merge patches of the parts of a JobSet, as Trainer applies them.

Source: StrategicMergePatch in k8s.io/apimachinery/pkg/util/strategicpatch/patch.go (v0.32.2 to v0.36.2 alike), and the
tags `patchStrategy` and `patchMergeKey` of core/v1 and jobset/v1alpha2.
"""

from collections.abc import Mapping, Sequence
from typing import Any

_MERGE_KEYS = {
    "replicatedJobs": "name",
    "volumes": "name",
    "initContainers": "name",
    "containers": "name",
    "env": "name",
    "volumeMounts": "mountPath",
    "imagePullSecrets": "name",
    "schedulingGates": "name",
    "claims": "name",
}
"""The lists that are merged by a key of their items. All others are replaced."""


def merge(original: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """The original with a patch. Neither is changed."""
    merged = dict(original)
    for key, value in patch.items():
        present = merged.get(key)
        if isinstance(value, Mapping) and isinstance(present, Mapping):
            merged[key] = merge(present, value)
        elif isinstance(value, list) and isinstance(present, list) and key in _MERGE_KEYS:
            merged[key] = _merge_lists(present, value, _MERGE_KEYS[key])
        else:
            merged[key] = value
    return merged


def _merge_lists(original: Sequence[Any], patch: Sequence[Any], key: str) -> list[Any]:
    changes = {item.get(key): item for item in patch}
    kept = {item.get(key): item for item in original}
    merged = [merge(kept[name], item) if name in kept else item for name, item in changes.items()]
    rest = [item for item in original if item.get(key) not in changes]
    return _in_order(rest, merged, list(kept), key)


def _in_order(rest: Sequence[Any], merged: Sequence[Any], order: Sequence[Any], key: str) -> list[Any]:
    """The items that the patch does not name between those that it names: a new item of the patch comes before all
    that follow (`mergeSortedSlice`)."""
    position = {name: index for index, name in enumerate(order)}
    items: list[Any] = []
    left, right = list(rest), list(merged)
    while left and right:
        first, second = position[left[0].get(key)], position.get(right[0].get(key))
        items.append(left.pop(0) if second is not None and first < second else right.pop(0))
    return [*items, *left, *right]
