"""Where two manifests, or two runtimes, differ: in the words of the documentation."""

from collections.abc import Iterator
from typing import Any

from components.runtimes.runtime import ClusterTrainingRuntime

Difference = tuple[str, Any, Any]


def differences(before: Any, after: Any, place: str = "") -> Iterator[Difference]:
    """Each place that differs, and what stands there, None where it is absent. Items of lists go by their names."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before.keys() | after.keys()):
            yield from differences(before.get(key), after.get(key), f"{place}.{key}".lstrip("."))
    elif _named(before) and _named(after):
        left, right = ({item["name"]: item for item in items} for items in (before, after))
        for name in sorted(left.keys() | right.keys()):
            yield from differences(left.get(name), right.get(name), f"{place}[{name}]")
    elif before != after:
        yield _short(place), before, after


def added(runtime: ClusterTrainingRuntime, *, to: ClusterTrainingRuntime) -> dict[str, Any]:
    """Everything that one runtime has otherwise than the other: what stands there, by where."""
    return {place: after for place, _, after in differences(to.to_manifest(), runtime.to_manifest())}


def _named(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) and "name" in item for item in value)


def _short(place: str) -> str:
    """`node: image` for the container that trains, `node: containers[other].image` for another."""
    return (
        place.removeprefix("spec.template.spec.")
        .removeprefix("replicatedJobs[")
        .replace("].template.spec.template.spec.", ": ", 1)
        .replace("containers[node].", "")
    )
