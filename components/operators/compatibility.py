"""Versions of Trainer, JobSet, Kubernetes and Kueue that are known to work together, or known not to."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic.alias_generators import to_camel

from ..validation.violation import Severity, Violation
from .spec import OperatorSpec


@dataclass(frozen=True)
class CompatibleVersions:
    """Versions that work together, patch releases included."""

    trainer: str
    """Trainer, major and minor."""

    jobset: str
    """The JobSet that Trainer's chart installs and is tested with, major and minor."""

    kubernetes: str | None
    """The newest Kubernetes on which both were run here, major and minor. None: not tested here."""

    kueue: tuple[str, str | None] | None
    """The Kueue releases that start its TrainJobs: the first, and the first that no longer does, if any."""

    source: str
    """Source of these facts."""


COMPATIBILITY_MATRIX = (
    CompatibleVersions(
        "2.0", "0.8", "1.37", None,
        "kubeflow/trainer v2.0.0 go.mod, #2726; run here",
    ),
    CompatibleVersions(
        "2.1", "0.10", None, ("0.14", "0.17"),
        "kubeflow/trainer #2875 (v2.1.0); kubernetes-sigs/kueue #7755, #11931, #14722",
    ),
    CompatibleVersions(
        "2.2", "0.11", "1.37", ("0.17", "0.20"),
        "kubeflow/trainer #3144 (v2.2.0); kubernetes-sigs/kueue #10127 (v0.17.0), #14504 (in v0.20.0); "
        "run here",
    ),
    CompatibleVersions(
        "2.3", "0.12", "1.37", ("0.20", None),
        "kubeflow/trainer v2.3.0 charts/kubeflow-trainer/Chart.yaml, #3709; kubernetes-sigs/kueue #14504; run here",
    ),
)  # fmt: skip
"""All known combinations, oldest first."""

MIN_JOBSET = (0, 8)
"""Older JobSets have no `dependsOn` (kubernetes-sigs/jobset #774): a launcher would not wait for its workers."""


def parse_version(version: str) -> tuple[int, ...]:
    """The numbers of a version, for comparison: `v2.3.0-rc.1` is (2, 3, 0). Empty if it has none."""
    found = re.match(r"v?(\d+(?:\.\d+)*)", version)
    return tuple(map(int, found[1].split("."))) if found else ()


def is_downgrade(version: str, other: str) -> bool:
    """Whether `version` is older than `other`. A pre-release is older than its release."""
    mine, theirs = parse_version(version), parse_version(other)
    return mine < theirs or (mine == theirs and "-" in version and "-" not in other)


def _minor(version: str) -> str:
    return ".".join(map(str, parse_version(version)[:2]))


def compatible_with(trainer: str) -> CompatibleVersions | None:
    """The row for a Trainer version, or None."""
    return next((known for known in COMPATIBILITY_MATRIX if known.trainer == _minor(trainer)), None)


def check_jobset_version(trainer: str, jobset: str, path: str) -> Iterator[Violation]:
    """Check JobSet's version against Trainer's; `path` is the key of JobSet's version."""
    known = compatible_with(trainer)
    if parse_version(jobset)[:2] < MIN_JOBSET:
        message = f"JobSet {jobset} has no `dependsOn`: launchers would silently not wait for their workers."
        yield Violation("VER-02", path, message, f"Use JobSet {known.jobset if known else '0.12'} or newer.")
    elif known is None:
        tested = ", ".join(row.trainer for row in COMPATIBILITY_MATRIX)
        message = f"The JobSet that Trainer {trainer} needs is unknown; known are Trainer {tested}."
        yield Violation("VER-01", path, message, "Check the dependencies of Trainer's chart.", Severity.WARNING)
    elif _minor(jobset) != known.jobset:
        older = parse_version(jobset)[:2] < parse_version(known.jobset)
        message = f"Trainer {trainer} is built and tested with JobSet {known.jobset}, not with {jobset}."
        if older:
            # Trainer creates JobSets with fields that the older CRD drops silently.
            yield Violation("VER-02", path, message, f"Use JobSet {known.jobset}.")
        else:
            yield Violation("VER-01", path, message, f"Use JobSet {known.jobset}.", Severity.WARNING)


def check_kueue_version(trainer: str, kueue: str, path: str) -> Iterator[Violation]:
    """Check the cluster's Kueue against Trainer's version; `path` is the key of Trainer's version."""
    known = compatible_with(trainer)
    if known is None or known.kueue is None:
        return
    first, end = known.kueue
    at = parse_version(kueue)[:2]
    if end and at >= parse_version(end):
        newer = next((k for k in reversed(COMPATIBILITY_MATRIX) if k.kueue and parse_version(k.kueue[0]) <= at), known)
        message = f"Kueue {kueue} in the cluster does not start TrainJobs of Trainer {trainer}: it expects newer ones."
        yield Violation("VER-02", path, message, f"Use Trainer {newer.trainer}, or a Kueue older than {end}.")
    elif at < parse_version(first):
        message = (
            f"Kueue {kueue} in the cluster is older than {first}, the oldest known to work with Trainer {trainer}."
        )
        yield Violation("VER-01", path, message, f"Use Kueue {first} or newer.", Severity.WARNING)


def check_kubernetes_version(trainer: str, kubernetes: str, path: str) -> Iterator[Violation]:
    """Check the cluster's Kubernetes against Trainer's version; `path` is the key of Trainer's version."""
    known = compatible_with(trainer)
    if known and known.kubernetes and parse_version(kubernetes)[:2] > parse_version(known.kubernetes):
        message = f"Kubernetes {kubernetes} is newer than {known.kubernetes}, the newest tested with Trainer {trainer}."
        fix = "Test it in a non-production cluster first."
        yield Violation("VER-01", path, message, fix, Severity.WARNING)


def check_chart_keys(spec: OperatorSpec) -> Iterator[Violation]:
    """Yield a warning for each key of an operator's section that the chart of its version ignores."""
    for field, first in spec.facts.since.items():
        if getattr(spec, field) in (None, False) or parse_version(spec.version)[:2] >= parse_version(first):
            continue
        key = f"{spec.facts.section}.{to_camel(field)}"
        message = f"This key has no effect: the chart of {spec.facts.title} {spec.version} does not read it."
        fix = f"Install {spec.facts.title} {first} or newer, or remove the key."
        yield Violation("VER-06", key, message, fix, Severity.WARNING)
    if (
        spec.istio
        and (annotated := spec.facts.since.get("pod_annotations"))
        and parse_version(spec.version)[:2] < parse_version(annotated)
    ):
        message = (
            f"The chart of {spec.facts.title} {spec.version} cannot set pod annotations, so the sidecar blocks the API "
            "server's calls to the webhooks."
        )
        fix = f"Install {spec.facts.title} {annotated} or newer, or disable sidecar injection in `{spec.namespace}`."
        yield Violation("VER-06", f"{spec.facts.section}.istio", message, fix, Severity.WARNING)
