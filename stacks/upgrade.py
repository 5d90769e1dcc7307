"""What an upgrade of a stack's operators changes, as text."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from components.cluster.client import ClusterClient, ClusterReadError
from components.operators.compatibility import compatible_with, is_downgrade, parse_version
from components.operators.discovery import find_installed_operator
from components.operators.spec import OperatorSpec
from components.operators.upgrade_changes import CHANGES, Change, Evidence
from components.operators.upgrades import changes, check_stored_jobs, check_upgrade, frameworks_of
from components.validation.violation import Violation

from .cluster_client import client_of
from .settings.resolve import ResolvedStack


@dataclass(frozen=True)
class Step:
    """The version change of one operator."""

    operator: str
    """Name of the operator: Trainer or JobSet."""

    old: str
    """The installed version, or the version in the stack file."""

    new: str
    """The target version."""


def report(stack: ResolvedStack, to: str) -> tuple[str, bool]:
    """A report of what an upgrade of Trainer changes, and whether the upgrade is possible in one step."""
    access = client_of(stack)
    steps, notes = _steps(stack, to, access)
    if not steps:
        return "\n".join(
            [f"Nothing changes: no operator of this stack is older than Trainer {to} asks for.", *notes]
        ), True
    refused = [
        violation
        for step in steps
        for violation in check_upgrade(step.operator, step.old, step.new)
        if violation.rule == "UPG-01"
    ]
    lines = [", ".join(f"{step.operator} {step.old} to {step.new}" for step in steps), *notes]
    lines += [f"  {violation}" for violation in refused]
    lines += _operator_violations(steps)
    for name, runtime in stack.runtimes.items():
        lines += _of_runtime(name, runtime.to_manifest(), steps)
    lines += _of_jobs(steps, access)
    return "\n".join(lines), not refused


def _steps(stack: ResolvedStack, to: str, access: ClusterClient | None) -> tuple[list[Step], list[str]]:
    """The operators whose version changes, JobSet first because Trainer needs it, and remarks about the versions."""
    notes: list[str] = []
    wanted = {"trainer": to}
    if known := compatible_with(to):
        wanted["jobset"] = f"{known.jobset}.0"
    else:
        notes.append(f"  Which JobSet belongs to Trainer {to} is unknown. Check the dependencies of its chart.")
    steps = []
    for section, spec in stack.operators.items():
        old = _installed(spec, access) or spec.version
        new = wanted.get(section)
        same_line = section == "jobset" and new and parse_version(old)[:2] == parse_version(new)[:2]
        if new and is_downgrade(old, new) and not same_line:
            steps.append(Step(spec.facts.title, old, new))
    if "jobset" not in stack.operators and known:
        notes.append(f"  JobSet is not this stack's. Trainer {to} needs JobSet {known.jobset} before it.")
    return steps, notes


def _installed(spec: OperatorSpec, access: ClusterClient | None) -> str | None:
    try:
        there = find_installed_operator(access, spec.facts.webhooks, spec.facts.image_name) if access else None
    except ClusterReadError:
        return None
    return there.version if there else None


def _operator_violations(steps: list[Step]) -> Iterator[str]:
    for step in steps:
        found = [change for change in changes(step.operator, step.old, step.new) if not change.frameworks]
        if found:
            yield f"\n{step.operator}"
        for change in found:
            yield from _lines(change)


def _of_runtime(name: str, manifest: dict[str, Any], steps: list[Step]) -> Iterator[str]:
    frameworks = frameworks_of([manifest])
    found = [
        change
        for step in steps
        for change in changes(step.operator, step.old, step.new)
        if change.frameworks & frameworks
    ]
    yield f"\nRuntime {name} ({', '.join(sorted(frameworks)) or 'no policy'})"
    for change in found:
        yield from _lines(change)
    if not found:
        yield "  Nothing of its own changes."


def _lines(change: Change) -> Iterator[str]:
    """The lines of the report for one change."""
    seen = "run here" if change.evidence is Evidence.RUN else change.evidence
    yield f"  {change.since}, {change.kind}: {change.subject}"
    yield f"      {change.message}"
    yield f"      Fix: {change.fix}"
    yield f"      Source: {change.source}; {seen}"


def _of_jobs(steps: list[Step], access: ClusterClient | None) -> Iterator[str]:
    yield "\nTrainJobs in the cluster"
    if access is None:
        yield "  They were not looked at: the stack file names no context of a kubeconfig."
        return
    found: list[Violation] = [
        violation for step in steps for violation in check_stored_jobs(step.operator, step.old, step.new, access)
    ]
    for violation in found:
        yield f"  {violation}"
    if not found:
        yield "  None that waits would be broken."


PAGE = Path("docs/upgrading.md")
HEADING = "## Every change\n"


def upgrading_page(page: str) -> str:
    """The page about upgrades, with a generated table of all changes as its last section."""
    rows = [
        f"| {change.operator} {change.since} | {change.kind} | {change.subject} | {change.message} | {change.fix} "
        f"| {change.source} | {'run' if change.evidence is Evidence.RUN else 'read'} |"
        for change in CHANGES
    ]
    head = (
        f"{HEADING}\nEach change applies from the release line in the first column on.\n"
        "`run` means that it was seen here, with upstream's charts and controllers of both versions.\n"
        "`read` means that it was read in upstream's sources or release notes, and not run.\n"
        "Trainer 2.4.0 was not available as a Go module, so its rows are from release notes only.\n"
        "New features are not listed.\n\n"
        "| from | what happens | subject | what is different | what to do | source | seen |\n"
        "| --- | --- | --- | --- | --- | --- | --- |\n"
    )
    return page.partition(HEADING)[0] + head + "\n".join(rows) + "\n"
