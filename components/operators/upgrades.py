"""Reports what an upgrade of an operator changes before it is made."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from ..cluster.client import ClusterClient, ClusterReadError
from ..cluster.objects import ObjectRef, bullet_list, collection_path, pluralize
from ..validation.violation import Severity, Violation
from .compatibility import is_downgrade, parse_version
from .spec import OperatorSpec
from .uninstall_checks import is_finished
from .upgrade_changes import CHANGES, Change, Evidence, Manifest, policy_of

STEPS = {"Trainer": ((2, 3),)}
"""Release lines that an upgrade must not skip, by operator: kubeflow/trainer#3655, CHANGELOG-2.3.md@v2.3.0."""

SECTIONS = {"Trainer": "trainer", "JobSet": "jobset"}
"""The section of a stack file that sets the version, by operator."""


def check_upgrade(operator: str, old: str, new: str, frameworks: Collection[str] | None = None) -> Iterator[Violation]:
    """Yield what a change of an operator's version affects.

    Args:
        operator: Trainer or JobSet.
        old: The installed version.
        new: The new version.
        frameworks: The `mlPolicy` of the runtimes in use, and `initializers` if one has any. Changes of other
    frameworks
            are left out. None: changes of all frameworks are reported.
    """
    path = f"{SECTIONS[operator]}.version"
    if not is_downgrade(old, new):
        return
    for step in STEPS.get(operator, ()):
        if parse_version(old)[:2] < step < parse_version(new)[:2]:
            line = ".".join(map(str, step))
            message = f"{operator} cannot be upgraded from {old} to {new} directly: {line} must not be skipped."
            fix = f"Upgrade to {operator} {line} first, wait for suspended TrainJobs to finish, then upgrade to {new}."
            yield Violation("UPG-01", path, message, fix)
    for change in changes(operator, old, new):
        if frameworks is None or not change.frameworks or change.frameworks & {*frameworks}:
            yield Violation("UPG-02", path, told(change), change.fix, Severity.WARNING)


def changes(operator: str, old: str, new: str) -> Iterator[Change]:
    """The changes of an operator between two versions, oldest first."""
    for change in CHANGES:
        if (
            change.operator == operator
            and parse_version(old)[:2] < parse_version(change.since) <= parse_version(new)[:2]
        ):
            yield change


def told(change: Change) -> str:
    """A change in one line, with its source and whether it was run."""
    seen = "" if change.evidence is Evidence.RUN else f"; {change.evidence}"
    return (
        f"{change.operator} {change.since}, {change.kind}: {change.subject}. {change.message} ({change.source}{seen})"
    )


def check_stored_jobs(operator: str, old: str, new: str, access: ClusterClient) -> Iterator[Violation]:
    """Yield the TrainJobs in the cluster that an upgrade would break, with the reason.

    These are suspended ones, and finished ones only if the new controller cannot read them.
    """
    path = f"{SECTIONS[operator]}.version"
    breaking = [change for change in changes(operator, old, new) if change.breaks]
    if not breaking:
        return
    try:
        jobs = access.list_objects(collection_path("TrainJob"))
        runtimes = _runtimes(access) if jobs else {}
    except ClusterReadError as error:
        message = f"Cannot list the TrainJobs that this upgrade may break: {error}."
        fix = "Grant permission to list TrainJobs and runtimes, or check for suspended TrainJobs manually."
        yield Violation("UPG-04", path, message, fix, Severity.WARNING)
        return
    for change in breaking:
        broken = [ObjectRef.of(job, "TrainJob") for job in jobs if _is_broken(change, job, runtimes)]
        if broken:
            message = (
                f"{operator} {change.since} would break {pluralize(broken, 'TrainJob')} ({change.subject}). "
                f"{change.message}{bullet_list(broken)}\n "
            )
            yield Violation("UPG-03", path, message, change.fix, Severity.WARNING)


def check_version_change(
    spec: OperatorSpec, installed: str | None, access: ClusterClient | None, runtimes: Iterable[Manifest] | None = None
) -> Iterator[Violation]:
    """Yield everything to report before an operator's version changes, for previews and for `up`.

    Args:
        spec: The operator to be installed.
        installed: The installed version. None: unknown, and nothing is reported.
        access: The cluster whose TrainJobs are checked. None: they are not checked.
        runtimes: The stack's runtimes as manifests. None: changes of all frameworks are reported.
    """
    if not installed:
        return
    frameworks = None if runtimes is None else frameworks_of(runtimes)
    yield from check_upgrade(spec.facts.title, installed, spec.version, frameworks)
    if access:
        yield from check_stored_jobs(spec.facts.title, installed, spec.version, access)


def _is_broken(change: Change, job: Manifest, runtimes: Mapping[tuple[str | None, str], Manifest]) -> bool:
    if change.breaks is None:
        return False
    spec = job.get("spec") or {}
    reference = spec.get("runtimeRef") or {}
    namespaced = reference.get("kind") == "TrainingRuntime"
    runtime = runtimes.get((job["metadata"].get("namespace") if namespaced else None, reference.get("name", "")))
    waits = spec.get("suspend") and not is_finished(job)
    return bool(waits or change.includes_finished) and change.breaks(job, runtime)


def _runtimes(access: ClusterClient) -> dict[tuple[str | None, str], Manifest]:
    found = {}
    for kind in ("ClusterTrainingRuntime", "TrainingRuntime"):
        for runtime in access.list_objects(collection_path(kind)):
            metadata = runtime["metadata"]
            found[(metadata.get("namespace"), metadata["name"])] = runtime
    return found


def frameworks_of(runtimes: Iterable[Manifest]) -> frozenset[str]:
    """The argument `frameworks` of `check_upgrade` for these runtimes, given as manifests."""
    found = set()
    for runtime in runtimes:
        found.add(policy_of(runtime))
        jobs = ((runtime.get("spec") or {}).get("template") or {}).get("spec", {}).get("replicatedJobs") or ()
        if any(str(job.get("name")).endswith("-initializer") for job in jobs):
            found.add("initializers")
    return frozenset(found - {""})
