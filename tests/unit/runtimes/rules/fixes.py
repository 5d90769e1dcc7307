"""Fixes as they are printed, followed to the letter where that needs no judgement."""

import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

from components.validation.paths import FieldPath, split_path
from components.validation.violation import Violation

from .samples import ANCESTOR, Manifest

Followed = Iterator[Manifest]


def follow(manifest: Manifest, found: Violation) -> list[Manifest]:
    """What becomes of a manifest whose author does what the fix says: one for each choice that it offers.

    Empty where the fix leaves something to its reader: a name, a size, a place.
    """
    for pattern, act in ACTIONS:
        if said := re.match(pattern, found.fix):
            return list(act(manifest, split_path(found.path), said))
    return []


def at(manifest: Any, loc: FieldPath) -> Any:
    """What is at a place; None where nothing is."""
    for step in loc:
        try:
            manifest = manifest[step]
        except (KeyError, IndexError, TypeError):
            return None
    return manifest


def with_value(manifest: Manifest, loc: FieldPath, value: Any) -> Manifest:
    """A copy with another value at a place."""
    copy = deepcopy(manifest)
    place: Any = copy
    for step in loc[:-1]:
        place = place.setdefault(step, {}) if isinstance(place, dict) else place[step]
    place[loc[-1]] = value
    return copy


def without(manifest: Manifest, loc: FieldPath) -> Manifest:
    """A copy without what is at a place."""
    copy = deepcopy(manifest)
    del at(copy, loc[:-1])[loc[-1]]
    return copy


def words(text: str) -> list[str]:
    """The values that a fix lists: `'a', 'b'`, `a or b`, `one of a, b and c`."""
    text = (
        re.split(r"[.;:] |\.$|, and |, with | or (?:more|less)\b|, or (?:take|leave|set) ", text.strip())[0]
        .removeprefix("one of ")
        .removeprefix("some of ")
    )
    parts = re.split(r", | or | and ", text)
    return [part.strip("'\"`") for part in parts if re.fullmatch(r"'[^']*'|\"[^\"]*\"|`[^`]*`|[\w./$()-]+", part)]


def as_written(word: str, before: Any) -> Any:
    """A word as YAML would read it, in a list where there was a list."""
    value: Any = int(word) if re.fullmatch(r"-?\d+", word) and not isinstance(before, str) else word
    return [value] if isinstance(before, list) else value


def _remove(manifest: Manifest, loc: FieldPath, said: re.Match[str]) -> Followed:
    names = [
        name
        for name in re.split(r", | and ", said["what"])
        if name not in {"it", "them", "this", "the field", "the label"}
    ]
    if {"the job", "the volume", "the rule", "the target"} & {*names} or (
        said["what"] == "them" and isinstance(at(manifest, loc), str)
    ):
        return
    if loc[-1] == "name" and isinstance(loc[-2], int):  # an item of a list is what its name says
        loc = loc[:-1]
    places = [(*loc[:-1], name) for name in names if re.fullmatch(r"\w+", name)] or [loc]
    for place in places:
        if at(manifest, place) is None:
            return
        manifest = without(manifest, place)
    yield manifest


def _choose(manifest: Manifest, loc: FieldPath, said: re.Match[str]) -> Followed:
    before = at(manifest, loc)
    if isinstance(before, str | list | None) and " with " not in said["what"]:
        for word in words(said["what"]):
            yield with_value(manifest, loc, as_written(word, before))


def _set(manifest: Manifest, loc: FieldPath, said: re.Match[str]) -> Followed:
    is_meant = said["name"] in {"it", loc[-1]} and " with " not in said["what"]
    for word in words(said["what"]) if is_meant else ():
        yield with_value(manifest, loc, as_written(word, at(manifest, loc)))


def _name_job(manifest: Manifest, loc: FieldPath, said: re.Match[str]) -> Followed:
    before, jobs = at(manifest, loc), loc[:-2]
    manifest = with_value(manifest, loc, said["what"])
    for index, job in enumerate(at(manifest, jobs) if said["also"] else ()):
        for number, dependency in enumerate(job.get("dependsOn", ())):
            if dependency["name"] == before:
                manifest = with_value(manifest, (*jobs, index, "dependsOn", number, "name"), said["what"])
    yield manifest


def _name_container(manifest: Manifest, loc: FieldPath, said: re.Match[str]) -> Followed:
    if loc[-1] == "containers" and len(at(manifest, loc)) == 1:
        yield with_value(manifest, (*loc, 0, "name"), said["what"])


def _move(manifest: Manifest, loc: FieldPath, said: re.Match[str]) -> Followed:
    pod = loc[:-2]
    moved = {**at(manifest, loc), "restartPolicy": "Always"}
    assert moved["name"] == said["what"]
    inits = at(manifest, (*pod, "initContainers")) or []
    yield with_value(without(manifest, loc), (*pod, "initContainers"), [*inits, moved])


def _label(manifest: Manifest, loc: FieldPath, said: re.Match[str]) -> Followed:
    jobs: FieldPath = ("spec", "template", "spec", "replicatedJobs")
    index = next(number for number, job in enumerate(at(manifest, jobs)) if job["name"] == said["what"])
    labels: FieldPath = ("template", "metadata", "labels")
    if said["alone"]:
        manifest = without(manifest, loc)
    present = at(manifest, (*jobs, index, *labels)) or {}
    manifest = with_value(manifest, (*jobs, index, *labels), {**present, ANCESTOR: "trainer"})
    if said["job"]:
        manifest = with_value(manifest, (*jobs, index, "name"), said["job"])
    if said["container"]:
        container: FieldPath = ("template", "spec", "template", "spec", "containers", 0, "name")
        manifest = with_value(manifest, (*jobs, index, *container), said["container"])
    yield manifest


def _succeed(manifest: Manifest, _: FieldPath, said: re.Match[str]) -> Followed:
    policy = {"operator": "All", "targetReplicatedJobs": said["what"].split(", ")}
    yield with_value(manifest, ("spec", "template", "spec", "successPolicy"), policy)


def _wait(manifest: Manifest, _: FieldPath, __: re.Match[str]) -> Followed:
    jobs: FieldPath = ("spec", "template", "spec", "replicatedJobs")
    by_name = {job["name"]: job for job in at(manifest, jobs)}
    launcher = {**by_name.pop("launcher"), "dependsOn": [{"name": "node", "status": "Ready"}]}
    manifest = with_value(manifest, jobs, [*by_name.values(), launcher])
    order: FieldPath = ("spec", "template", "spec", "startupPolicy")
    yield without(manifest, order) if at(manifest, order) else manifest


def _reference(manifest: Manifest, loc: FieldPath, said: re.Match[str]) -> Followed:
    text = at(manifest, loc)
    yield with_value(manifest, loc, re.sub(r"\$\([A-Za-z_]+\)", said["what"].replace("\\", ""), text, count=1))


def _select(manifest: Manifest, loc: FieldPath, said: re.Match[str]) -> Followed:
    selector = loc[: loc.index("labelSelector") + 1]
    yield with_value(manifest, selector, {"matchLabels": {said["key"]: said["value"]}})


ACTIONS: list[tuple[str, Callable[[Manifest, FieldPath, re.Match[str]], Followed]]] = [
    (r"(Take|Leave) (?P<what>it|them|this|the field|the label|[\w, ]+?) (out|off)\b(?!, and have)", _remove),
    (
        r"Remove (?P<what>it|them|this|the (field|label|job|target|volume)|\w+( and \w+)*)[.,;](?! and have)",
        _remove,
    ),
    (r"Write (?P<what>\$\(\S+\))\.", _reference),
    (r"Select (?P<key>\S+): (?P<value>\S+)\.", _select),
    (r"Move '(?P<what>[^']+)' to initContainers", _move),
    (
        r"(Put|Set) the label on the job '(?P<what>[^']+)'(?P<alone> alone)?(,( and)? name the job '(?P<job>[^']+)')?"
        r"(,( and)? name its container '(?P<container>[^']+)')?\.",
        _label,
    ),
    (r"Set successPolicy to operator All, with targetReplicatedJobs \[(?P<what>[\w, -]+)\]", _succeed),
    (r"List 'node' before 'launcher', and give 'launcher' dependsOn", _wait),
    (r"Name the container '(?P<what>[^']+)'\.", _name_container),
    (r"Name (the job|it) '(?P<what>[^']+)'(?P<also>, also in dependsOn)?\.", _name_job),
    (r"Name (it|one of|some of) (?P<what>'.*)", _choose),
    (r"Use (status |the value )?(?P<what>[A-Z0-9'\"].*)", _choose),
    (r"Use (?P<what>one of .*)", _choose),
    (r"Write (?P<what>\"[^\"]+\"|\d+)\.", _choose),
    (r"Set (?P<name>\w+) to (?P<what>.*)", _set),
]
"""What fixes say, and what is done then. The first that fits counts."""
