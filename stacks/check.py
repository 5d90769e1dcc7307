"""What `python -m stacks check` finds in stack files."""

import os
from collections.abc import Iterable, Sequence
from contextlib import chdir
from dataclasses import dataclass, replace
from pathlib import Path

from components.validation.report import FileViolation, Report, count, in_file, sort_by_line
from components.validation.violation import Severity, Violation, only_errors

from .settings.error_report import InvalidSettingsError
from .settings.load import load_stack
from .settings.project import project_folder, project_name
from .settings.resolve import ResolvedStack, resolve
from .settings.stack_file import FOLDER, StackFile, StackFileError
from .train_jobs import check_files


class NoStackError(ValueError):
    """Raised for a command-line argument that names no stack file."""


@dataclass(frozen=True)
class StackToCheck:
    """A stack file to check."""

    project: Path
    """Folder of the project, which has Pulumi.yaml."""

    name: str
    """Name of the stack."""

    @property
    def file(self) -> Path:
        """Path of the stack file."""
        return self.project / FOLDER / f"Pulumi.{self.name}.yaml"

    @property
    def shown(self) -> str:
        """Path of the stack file, relative to the working directory."""
        return _shown(self.project, str(FOLDER / self.file.name))


def find_stack(word: str) -> StackToCheck:
    """Returns the stack for a name or for the path of a stack file. Raises NoStackError if there is none."""
    path = Path(word)
    is_path = path.suffix in (".yaml", ".yml") or len(path.parts) > 1
    if is_path:
        prefix, _, name = path.stem.partition(".")
        folder = path.absolute().parent
        if (
            prefix != "Pulumi"
            or not name
            or folder.name != FOLDER.name
            or not (folder.parent / "Pulumi.yaml").is_file()
        ):
            place = f"{FOLDER}/Pulumi.<stack>.yaml, beside which is the project's Pulumi.yaml"
            raise NoStackError(f"{word} is not a stack file: name a stack, or the path of {place}.")
        stack = StackToCheck(folder.parent, name)
    else:
        stack = StackToCheck(project_folder(), word)
    if not stack.file.is_file():
        there = ", ".join(each.name for each in all_stacks(stack.project)) or "none"
        raise NoStackError(
            f"There is no stack file {_shown(stack.project, str(FOLDER / stack.file.name))}. Stacks: {there}."
        )
    return stack


def all_stacks(project: Path) -> list[StackToCheck]:
    """Returns all stacks of a project, sorted by name."""
    names = sorted(file.stem.partition(".")[2] for file in (project / FOLDER).glob("Pulumi.*.yaml"))
    return [StackToCheck(project, name) for name in names]


def check_stacks(stacks: Iterable[StackToCheck], train_jobs: Sequence[Path] = ()) -> tuple[Report, str]:
    """Returns all violations in these files, and a summary with one line for each file. `train_jobs`: files and folders
    with TrainJobs, which are checked with the runtimes of each stack. Raises OSError if one cannot be read."""
    report = Report()
    lines: list[str] = []
    told: set[tuple[object, ...]] = set()
    files = [file.absolute() for file in train_jobs]
    for stack in stacks:
        checked, resolved = _check(stack)
        found = sort_by_line(checked)
        errors = len(only_errors(found))
        verdict = f"invalid, {count(errors, 'error')}" if errors else "valid"
        warnings = f", {count(len(found) - errors, 'warning')}" if len(found) > errors else ""
        lines.append(f"{stack.name} is {verdict}{warnings}.")
        if not errors:
            report.valid.append({"file": stack.shown, "name": stack.name})
        if files and resolved:
            jobs = check_files(resolved.bind({}), stack.name, files)
            found += [replace(each, file=_shown(Path(), each.file)) for each in jobs.violations]
            valid = [each for each in jobs.valid if each["kind"] == "TrainJob"]
            report.valid += [{**each, "file": _shown(Path(), each["file"])} for each in valid]
            every = count(len(jobs.train_jobs), "TrainJob")
            lines.append(f"{len(valid)} of {every} can be used with stack {stack.name}.")
        elif files:
            lines.append(f"TrainJobs were not checked with stack {stack.name}, because it is invalid.")
        # Stacks that inherit one file share what is wrong in it.
        for each in found:
            identity = each.file, each.line, each.rule, each.path, each.message
            if identity not in told:
                told.add(identity)
                report.violations.append(each)
    return report, "\n".join(lines)


def _check(stack: StackToCheck) -> tuple[list[FileViolation], ResolvedStack | None]:
    with chdir(stack.project):
        found, resolved = _in_project(stack.name, project_name())
    return [replace(each, file=_shown(stack.project, each.file)) for each in found], resolved


def _in_project(stack: str, project: str) -> tuple[list[FileViolation], ResolvedStack | None]:
    """The violations, and the stack if it has no errors."""
    try:
        resolved = resolve(load_stack(stack, project))
    except StackFileError as error:
        return [in_file(Violation("YAML-01", "", error.why, error.fix), error.file, error.line or 1, stack)], None
    except InvalidSettingsError as error:
        # Among them are warnings that the policies refuse.
        errors = (replace(each, severity=Severity.ERROR) for each in error.violations)
        return [_located(error.file, each, stack) for each in (*errors, *error.warnings)], None
    return [_located(resolved.file, each, stack) for each in resolved.warnings], resolved


def _located(file: StackFile, violation: Violation, stack: str) -> FileViolation:
    place = file.place(violation.path)
    return in_file(violation, place.file if place else file.name, place.line if place else 1, stack)


def _shown(project: Path, file: str) -> str:
    """The path of a project's file, relative to the working directory."""
    return Path(os.path.relpath(project / file)).as_posix()
