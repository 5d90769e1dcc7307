"""Checks the TrainJobs in files, each with the runtime that it refers to."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from ..k8s.invalid import InvalidRuntimeError
from ..validation.near import did_you_mean
from ..validation.printable import printable
from ..validation.report import FileViolation, in_file
from ..validation.violation import Severity, Violation
from .api import BaseTrainingRuntime
from .explain.releases import LATEST
from .loader import FoundDocument, RuntimesReport, document_violations
from .pair_rules import check_train_job
from .placement import Placement
from .train_job import RuntimeRef, TrainJob

CLUSTER_KIND = "ClusterTrainingRuntime"
_KINDS = (None, CLUSTER_KIND, "TrainingRuntime")


class RuntimeSourceError(Exception):
    """Raised by a source of runtimes that cannot be asked."""


class UnreadableRuntimeError(RuntimeSourceError):
    """Raised for a runtime that the source has, but that is not understood."""


class FoundRuntime(NamedTuple):
    """The runtime of a TrainJob, and where it was found."""

    runtime: BaseTrainingRuntime
    place: str
    """Where: `runtimes.yaml`, `the catalogue`, `context prod`."""

    pool: Placement | None = None
    """The nodes on which it runs. None: not known."""


class RuntimeSource(NamedTuple):
    """Where the runtimes of TrainJobs are looked for."""

    place: str
    """How messages name it: `the catalogue`, `context prod`."""

    find: Callable[[RuntimeRef, str], FoundRuntime | None]
    """Returns the runtime for a reference and the TrainJob's namespace."""

    names: Callable[[], Iterable[str]]
    """The names of its runtimes, for suggestions."""

    fix: str | None
    """Where else a runtime that it does not have may be found. None: there is no such runtime where the TrainJob is
    created."""


def check_train_jobs(
    report: RuntimesReport, source: RuntimeSource, trainer: str = LATEST, beside: RuntimesReport | None = None
) -> None:
    """Add what is wrong in the TrainJobs of a report to it.

    A runtime is looked for in the report first, then in `beside`, of which nothing is reported, then in `source`.
    `trainer`: the version of Trainer.

    Raises RuntimeSourceError if the source cannot be asked, and ExplainError if the version is not known.
    """
    in_files = {
        identity: FoundRuntime(runtime, each.places[identity])
        for each in (beside or RuntimesReport(), report)
        for runtime in each.runtimes
        for identity in [_identity(runtime)]
    }

    def find(train_job: TrainJob) -> FoundRuntime | None:
        reference = train_job.spec.runtime_ref
        if reference.kind not in _KINDS:
            return None
        kind = reference.kind or CLUSTER_KIND
        namespace = "" if kind == CLUSTER_KIND else train_job.metadata.namespace or ""
        identity = kind, namespace, reference.name
        if identity in in_files:
            return in_files[identity]
        return source.find(reference, train_job.metadata.namespace or "default")

    for document in report.train_jobs:
        report.violations += _check(document, report, find, source, trainer)
    order = {file: index for index, file in enumerate(report.files)}
    report.violations.sort(key=lambda each: (order.get(each.file, 0), each.line))


def _identity(runtime: BaseTrainingRuntime) -> tuple[str, str, str]:
    metadata = runtime.metadata
    return runtime.kind, metadata.namespace or "", metadata.name or ""


def _check(
    found: FoundDocument,
    report: RuntimesReport,
    find: Callable[[TrainJob], FoundRuntime | None],
    source: RuntimeSource,
    trainer: str,
) -> list[FileViolation]:
    file, document = found
    own = document_violations(found, report)
    violations: list[Violation] = []
    try:
        train_job = TrainJob.from_manifest(document.content)
    except InvalidRuntimeError as error:
        violations += error.violations
    else:
        try:
            runtime = find(train_job)
            reasons = [] if runtime else _missing(train_job, report, source)
        except UnreadableRuntimeError as error:
            runtime, reasons = None, [_unreadable(error)]
        if runtime is None:
            violations += [*check_train_job(train_job, trainer=trainer), *reasons]
        else:
            violations += check_train_job(train_job, runtime.runtime, pool=runtime.pool, trainer=trainer)
        if not any(each.severity is Severity.ERROR for each in (*own, *violations)):
            report.valid.append(_told(file, train_job, runtime))
    return [*own, *(in_file(each, file, document.line_of(each.path), found.name) for each in violations)]


def _missing(train_job: TrainJob, report: RuntimesReport, source: RuntimeSource) -> list[Violation]:
    """Why the runtime is not there. Nothing where it is in the files and has errors, or where its kind is none of a
    runtime: both are reported."""
    reference = train_job.spec.runtime_ref
    if reference.kind not in _KINDS:
        return []
    name, kind = reference.name, reference.kind or CLUSTER_KIND
    invalid = report.places.keys() - set(map(_identity, report.runtimes))
    if any(place_kind == kind and place_name == name for place_kind, _, place_name in invalid):
        return []
    names = source.names()
    near = did_you_mean(name, names)
    if kind != CLUSTER_KIND and name in names:
        near = f"Remove `kind`: {name} is a {CLUSTER_KIND} there."
    if source.fix is None:
        message = f"{source.place} has no {kind} {name}: Trainer rejects the TrainJob."
        fix = near or "Create the runtime first, or refer to one that exists."
        return [Violation("TJC-05", "spec.runtimeRef.name", message, fix)]
    message = f"The {kind} {name} is neither in the files nor in {source.place}: only what needs no runtime is checked."
    return [Violation("TJC-05", "spec.runtimeRef.name", message, near or source.fix, Severity.WARNING)]


def _unreadable(error: UnreadableRuntimeError) -> Violation:
    fix = "Remove the fields from the runtime, or update this linter if a newer Trainer has them."
    message = f"{error}: only what needs no runtime is checked."
    return Violation("TJC-05", "spec.runtimeRef.name", message, fix, Severity.WARNING)


def _told(file: str, train_job: TrainJob, runtime: FoundRuntime | None) -> dict[str, str]:
    metadata = train_job.metadata
    told = {"file": file, "kind": "TrainJob", "name": metadata.name or f"{metadata.generate_name}..."}
    if metadata.namespace:
        told["namespace"] = metadata.namespace
    if runtime:
        told["runtime"] = f"{runtime.runtime.kind} {runtime.runtime.metadata.name} ({runtime.place})"
    return {key: printable(value) for key, value in told.items()}


def catalogue() -> RuntimeSource:
    """Upstream's runtimes, as upstream publishes them."""
    from .catalog import FACTORIES

    runtimes: dict[str, BaseTrainingRuntime] = {}

    def names() -> Iterable[str]:
        if not runtimes:
            for build in FACTORIES.values():
                runtime = build(like_upstream=True)
                runtimes[runtime.metadata.name or ""] = runtime
        return runtimes

    def find(reference: RuntimeRef, _: str) -> FoundRuntime | None:
        names()
        runtime = runtimes.get(reference.name) if reference.kind in (None, CLUSTER_KIND) else None
        return FoundRuntime(runtime, "the catalogue") if runtime else None

    fix = "Pass its file too, or read it from a cluster with --context."
    return RuntimeSource("the catalogue", find, names, fix)
