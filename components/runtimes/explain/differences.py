"""What differs between two explanations, a line each: of a runtime before and after a change, or of two runtimes with
the same TrainJob."""

from collections.abc import Iterator, Mapping
from typing import Any

from .explanation import Explanation
from .reconciliation import pod_of

_OF_PODS = ("initContainers", "containers")
_OF_JOBS = ("replicatedJobs",)


def differences(old: Explanation, new: Explanation) -> tuple[str, ...]:
    """What `new` has that `old` has not: failure, pods, order, environment, containers, other objects. Variables are
    named without their values. Empty: TrainJobs become the same."""
    return tuple(_differences(old, new))


def _differences(old: Explanation, new: Explanation) -> Iterator[str]:
    if old.failure != new.failure:
        yield f"TrainJobs fail: {new.failure}" if new.failure else f"TrainJobs no longer fail: {old.failure}"
    before, after = _jobs(old), _jobs(new)
    yield from (f"Job {name} is removed." for name in before if name not in after)
    yield from (f"Job {name} is added, with {_pods_of(_count(new, name))}." for name in after if name not in before)
    both = [name for name in after if name in before]
    for name in both:
        if (count := _count(new, name)) != (was := _count(old, name)):
            yield f"Job {name} has {_pods_of(count)} instead of {was}."
    yield from _order(old, new)
    for name in both:
        yield from _pods(name, pod_of(before[name]), pod_of(after[name]))
        if changed := _changed(before[name], after[name], ("name", "template", "replicas", "dependsOn")):
            yield f"Job {name}: {changed} {_verb(changed)}."
        specs = (before[name]["template"]["spec"], after[name]["template"]["spec"])
        if changed := _changed(*specs, ("template", "parallelism", "completions")):
            yield f"Job {name}: {changed} {_verb(changed)}."
    if old.jobset and new.jobset and (changed := _changed(old.jobset["spec"], new.jobset["spec"], _OF_JOBS)):
        yield f"JobSet: {changed} {_verb(changed)}."
    yield from _others(old, new)


def _jobs(explanation: Explanation) -> dict[str, Mapping[str, Any]]:
    spec = explanation.jobset["spec"] if explanation.jobset else {}
    return {job["name"]: job for job in spec.get("replicatedJobs") or ()}


def _count(explanation: Explanation, name: str) -> int:
    return sum(job.pods for job in explanation.jobs if job.replicated_job == name)


def _pods_of(count: int) -> str:
    return f"{count} {'pod' if count == 1 else 'pods'}"


def _order(old: Explanation, new: Explanation) -> Iterator[str]:
    # The number of pods, which stands in the steps too, is told already.
    before = {step.what.partition(" with ")[0]: step.waits_for for step in old.order}
    for step in new.order:
        what = step.what.partition(" with ")[0]
        if what in before and before[what] != step.waits_for:
            yield f"Order: {what}, when {step.waits_for}; before, when {before[what]}."


def _pods(job: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    if changed := _changed(old, new, _OF_PODS):
        yield f"Pods of {job}: {changed} {_verb(changed)}."
    before, after = _containers(old), _containers(new)
    yield from (f"Pods of {job}: container {name} is removed." for name in before if name not in after)
    yield from (f"Pods of {job}: container {name} is added." for name in after if name not in before)
    for name in (name for name in after if name in before):
        where = f"Container {name} of {job}"
        if changed := _changed(before[name], after[name], ("name", "env")):
            yield f"{where}: {changed} {_verb(changed)}."
        yield from (f"{where}: {line}" for line in _environment(before[name], after[name]))


def _environment(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    before, after = ({each["name"]: each for each in container.get("env") or ()} for container in (old, new))
    for names, verb in (
        ([name for name in after if name not in before], "added"),
        ([name for name in before if name not in after], "removed"),
        ([name for name in after if name in before and after[name] != before[name]], "changed"),
    ):
        if names:
            yield f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} {verb} in the environment."


def _containers(pod: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    return {each["name"]: each for kind in _OF_PODS for each in pod.get(kind) or ()}


def _others(old: Explanation, new: Explanation) -> Iterator[str]:
    """Objects beside the JobSet and what follows from it."""
    before, after = _by_name(old), _by_name(new)
    yield from (f"{name} is no longer created." for name in before if name not in after)
    yield from (f"{name} is created." for name in after if name not in before)
    yield from (f"{name} changes." for name in after if name in before and before[name] != after[name])


def _by_name(explanation: Explanation) -> dict[str, Mapping[str, Any]]:
    return {
        f"{each['kind']} {each['metadata']['name']}": each
        for each in explanation.objects()
        if each["kind"] not in ("JobSet", "Job", "Pod") and not each["metadata"]["name"].endswith("-runtime-snapshot")
    }


def _changed(old: Mapping[str, Any], new: Mapping[str, Any], told: tuple[str, ...]) -> str:
    """The keys whose values differ, but for those that are told otherwise."""
    keys = [*old, *(key for key in new if key not in old)]
    return ", ".join(key for key in keys if key not in told and old.get(key) != new.get(key))


def _verb(keys: str) -> str:
    return "change" if ", " in keys else "changes"
