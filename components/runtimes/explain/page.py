"""An explanation as a page for a terminal."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from textwrap import wrap

from ...validation.printable import printable
from .explanation import ExplainedJob, Explanation

WIDTH = 100
"""Columns of the page."""

_INDENT = "  "
_MAX_VALUE_LENGTH = 60
_MAX_HOSTS = 12


def to_page(explanation: Explanation) -> str:
    """The page, at most 100 columns wide but for names that are longer."""
    release = explanation.release
    title = f"TrainJob {explanation.namespace}/{explanation.name} with {explanation.runtime}"
    lines = [title, f"Trainer {release.trainer}, JobSet {release.jobset}"]
    for heading, section in (
        ("Failure", _wrapped([explanation.failure] if explanation.failure else [])),
        ("Order", _order(explanation)),
        ("Pods", _pods(explanation.jobs)),
        ("Nodes", _nodes(explanation)),
        ("Hostfile", _hostfile(explanation)),
        ("Gang", _gang(explanation)),
        ("Environment", _environment(explanation)),
        ("Volumes", _volumes(explanation)),
        ("Later changes", _changes(explanation)),
        ("Notes", _wrapped(explanation.notes)),
    ):
        if body := [*section]:
            lines += ["", heading, *body]
    return "\n".join(printable(line) for line in lines)


def _wrapped(texts: Iterable[str], first: str = _INDENT, others: str = _INDENT) -> Iterator[str]:
    for text in texts:
        yield from wrap(
            text, WIDTH, initial_indent=first, subsequent_indent=others, break_long_words=False, break_on_hyphens=False
        )


def _order(explanation: Explanation) -> Iterator[str]:
    for number, step in enumerate(explanation.order, 1):
        text = f"{step.what}, when {step.waits_for}" if step.waits_for else step.what
        yield from _wrapped([text], f"{_INDENT}{number}. ", f"{_INDENT}   ")


def _pods(jobs: Sequence[ExplainedJob]) -> Iterator[str]:
    for job in jobs:
        hosts = f": {_shortened(job.hosts)}" if job.hosts else ", without DNS names"
        pods = f"{job.pods} {'pod' if job.pods == 1 else 'pods'}"
        yield from _wrapped([f"Job {job.name}, {pods}{hosts}"], _INDENT, f"{_INDENT}{_INDENT}")


def _shortened(hosts: Sequence[str]) -> str:
    """`train-node-0-[0-3].train` for four hosts."""
    first, last = hosts[0], hosts[-1]
    start, _, end = first.partition(".")[0].rpartition("-")[2], "", last.partition(".")[0].rpartition("-")[2]
    return first if start == end else re.sub(rf"-{start}\.", f"-[{start}-{end}].", first, count=1)


def _nodes(explanation: Explanation) -> Iterator[str]:
    if capacity := explanation.capacity:
        available = "" if capacity.available is None else f"; the pool can have {capacity.available}"
        verdict = "" if capacity.fits else ", so the training never starts"
        yield f"{_INDENT}{capacity.nodes} at the same time{available}{verdict}"


def _hostfile(explanation: Explanation) -> Iterator[str]:
    for each in explanation.applied:
        if each["kind"] == "ConfigMap" and "hostfile" in each["data"]:
            lines = each["data"]["hostfile"].splitlines()
            yield from (f"{_INDENT}{line}" for line in lines[:_MAX_HOSTS])
            if len(lines) > _MAX_HOSTS:
                yield f"{_INDENT}... {len(lines)} lines, the last: {lines[-1]}"


def _gang(explanation: Explanation) -> Iterator[str]:
    for each in explanation.applied:
        if each["kind"] == "PodGroup":
            spec = each["spec"]
            resources = ", ".join(f"{name} {amount}" for name, amount in spec["minResources"].items())
            text = f"PodGroup {each['metadata']['name']} ({each['apiVersion']}): {spec['minMember']} pods or none"
            yield from _wrapped([f"{text}; resources: {resources or 'no requests'}"])


def _environment(explanation: Explanation) -> Iterator[str]:
    variables = explanation.environment
    for (job, container), group in groupby(variables, lambda each: (each.job, each.container)):
        yield f"{_INDENT}job {job}, container {container}"
        for each in group:
            value = each.value.replace("\n", "\\n")
            value = value if len(value) <= _MAX_VALUE_LENGTH else f"{value[: _MAX_VALUE_LENGTH - 3]}..."
            yield from _row(f"{each.name}={value}", each.origin)


def _volumes(explanation: Explanation) -> Iterator[str]:
    for job, group in groupby(explanation.volumes, lambda each: each.job):
        yield f"{_INDENT}job {job}"
        for each in group:
            mounts = ", ".join(each.mounts) or "not mounted"
            yield from _row(f"{each.name}: {each.source} at {mounts}", each.origin)


def _row(text: str, origin: str) -> Iterator[str]:
    margin = _INDENT * 2
    space = WIDTH - len(margin) - len(text) - len(origin)
    if space >= 2:
        yield f"{margin}{text}{' ' * space}{origin}"
    else:
        yield from _wrapped([text], margin, f"{margin}{_INDENT}")
        yield origin.rjust(WIDTH)


def _changes(explanation: Explanation) -> Iterator[str]:
    texts = [f"{change.of}: {change.effect}" for change in explanation.changes]
    yield from _wrapped(texts, f"{_INDENT}- ", f"{_INDENT}  ")
