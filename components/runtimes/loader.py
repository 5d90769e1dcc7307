"""Loads runtimes from YAML files. Each violation has its file and line."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from errno import ENOENT
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..k8s.invalid import InvalidRuntimeError
from ..k8s.regular_file import MAX_MANIFEST_FILE, check_length, read_regular_file
from ..validation.paths import format_path
from ..validation.printable import printable
from ..validation.secret_detection import Token, find_tokens
from ..validation.violation import Severity, Violation
from .runtime import ClusterTrainingRuntime, TrainingRuntime

if TYPE_CHECKING:
    from ..k8s.yaml_documents import Document

_GROUP = "trainer.kubeflow.org/"
_KINDS: dict[str, type[ClusterTrainingRuntime | TrainingRuntime]] = {
    "ClusterTrainingRuntime": ClusterTrainingRuntime,
    "TrainingRuntime": TrainingRuntime,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileViolation(Violation):
    """A violation in a file."""

    file: str
    """Path of the file."""

    line: int
    """Line in the file, starting at 1."""

    runtime: str
    """Name of the runtime. Empty if the file could not be read that far."""

    def __post_init__(self) -> None:
        """Make all text printable on one line, whatever the file contains."""
        for field_name in ("file", "path", "message", "fix", "runtime"):
            object.__setattr__(self, field_name, printable(getattr(self, field_name)))

    def __str__(self) -> str:
        """Two lines: place, severity, rule and message; then the fix."""
        where = f"{self.path}: " if self.path else ""
        return f"{self.file}:{self.line}: {self.severity} [{self.rule}] {where}{self.message}\n    Fix: {self.fix}"


@dataclass(frozen=True)
class SkippedDocument:
    """A document that is not a runtime."""

    file: str
    line: int
    kind: str
    """Its kind, for messages."""

    def __post_init__(self) -> None:
        """Make all text printable on one line."""
        object.__setattr__(self, "file", printable(self.file))
        object.__setattr__(self, "kind", printable(self.kind))

    def __str__(self) -> str:
        """One line."""
        return f"{self.file}:{self.line}: skipped: {self.kind} is not a training runtime"


@dataclass
class Report:
    """The runtimes, violations and skipped documents of files."""

    runtimes: list[ClusterTrainingRuntime | TrainingRuntime] = field(default_factory=list)
    """The runtimes without errors."""

    violations: list[FileViolation] = field(default_factory=list)
    skipped: list[SkippedDocument] = field(default_factory=list)
    places: dict[tuple[str, str, str], str] = field(default_factory=dict)
    """Where each runtime was defined first, by kind, namespace and name."""

    @property
    def errors(self) -> list[FileViolation]:
        """The violations that are errors."""
        return [violation for violation in self.violations if violation.severity is Severity.ERROR]


def load_runtimes(path: str | Path, adopt: bool = False) -> tuple[ClusterTrainingRuntime | TrainingRuntime, ...]:
    """Load the runtimes of a YAML file, or of all `.yaml` and `.yml` files below a folder, in order.

    A file may have several documents, and Lists of runtimes. Documents that are not runtimes are skipped. `adopt` is as
    in `from_manifest`.

    Raises InvalidRuntimeError with all violations of all files, each with its file and line (`FileViolation`); OSError
    if there is nothing to read, or if a file is not a regular one of at most 64 MiB.
    """
    report = load_report(path, adopt)
    if report.errors:
        raise InvalidRuntimeError(report.violations, str(path))
    return tuple(report.runtimes)


def load_report(path: str | Path, adopt: bool = False) -> Report:
    """Like `load_runtimes`, but return a report instead of raising InvalidRuntimeError. Raises OSError."""
    # Only the linter reads the standard input: here `-` is a file of that name.
    return read_files([Path(path).absolute() if Path(path) == STDIN else Path(path)], adopt)


_TEMPLATE = "Templates cannot be checked: render them first."

STDIN = Path("-")
"""Represents standard input, to which `kubectl get ... -o yaml` can be piped."""


def read_files(paths: Iterable[Path], adopt: bool = False) -> Report:
    """A report on the runtimes in files and folders. Raises OSError as `load_runtimes` does."""
    report = Report()
    for path in paths:
        for file in _files(path):
            _read(file, adopt, report)
    return report


def _files(path: Path) -> Iterator[Path]:
    if path != STDIN and path.is_dir():
        files = sorted(file for pattern in ("*.yaml", "*.yml") for file in path.rglob(pattern) if file.is_file())
        if not files:  # a folder that was named wrong must not pass for one in which all is right
            raise FileNotFoundError(ENOENT, "It contains no .yaml or .yml file", str(path))
        yield from files
    else:
        yield path


def _read(file: Path, adopt: bool, report: Report) -> None:
    from ..k8s.yaml_documents import YamlError, read_documents  # only who reads YAML needs PyYAML

    try:
        content = _content(file)
        for document in read_documents(content.decode()):
            for item in document.items():
                _read_item(str(file), item, adopt, report)
    except YamlError as error:
        fix = f"{error.fix} {_TEMPLATE}" if b"{{" in content else error.fix
        report.violations.append(
            FileViolation("YAML-01", "", str(error), fix, file=str(file), line=error.line, runtime="")
        )
    except UnicodeDecodeError as error:
        message = f"The file is not UTF-8 text: {error.reason} at byte {error.start}."
        fix = "Save it as UTF-8."
        report.violations.append(FileViolation("YAML-01", "", message, fix, file=str(file), line=1, runtime=""))


def _content(file: Path) -> bytes:
    if file != STDIN:
        return read_regular_file(file, MAX_MANIFEST_FILE)
    content = sys.stdin.buffer.read(MAX_MANIFEST_FILE + 1)
    check_length(content, MAX_MANIFEST_FILE, str(file))
    return content


def _read_item(file: str, document: "Document", adopt: bool, report: Report) -> None:
    content = document.content if isinstance(document.content, dict) else {}
    kind, group = str(content.get("kind")), str(content.get("apiVersion"))
    model = _KINDS.get(kind)
    if model is None and (group.startswith(_GROUP) or _looks_like_runtime(content)) and kind != "TrainJob":
        model = ClusterTrainingRuntime
    if model is None:
        report.skipped.append(
            SkippedDocument(file, document.line, kind if "kind" in content else "a document without kind")
        )
        return
    found: tuple[Violation, ...]
    secrets = tuple(map(_token, find_tokens(content)))
    try:
        runtime = model.from_manifest(content, adopt)
    except InvalidRuntimeError as error:
        found = error.violations
    else:
        found = runtime.check()
        if not any(document.duplicate_keys()):
            report.runtimes.append(runtime)
    metadata = content.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    name = str(metadata.get("name", ""))
    identity = kind, str(metadata.get("namespace", "")), name
    found = (*secrets, *found, *_check_duplicate(report, identity, f"{file}:{document.line}"))
    in_file = [_in_file(violation, file, document.line_of(violation.path), name) for violation in found]
    for line, key in document.duplicate_keys():
        message = f"{key} is a duplicate key, and only the last value applies."
        in_file.append(FileViolation("YAML-02", key, message, "Keep one.", file=file, line=line, runtime=name))
    report.violations += sorted(in_file, key=lambda violation: violation.line)


def _token(found: Token) -> Violation:
    message = f"This looks like {found.kind}, which everyone who sees the file can use."
    fix = "Revoke it, remove it from the file and its history, and refer to a Secret: `valueFrom.secretKeyRef`."
    return Violation("YAML-04", format_path(found.loc), message, fix, Severity.WARNING)


def _looks_like_runtime(content: Mapping[str, Any]) -> bool:
    spec = content.get("spec")
    return "kind" not in content and isinstance(spec, dict) and "mlPolicy" in spec


def _check_duplicate(report: Report, identity: tuple[str, str, str], place: str) -> Iterator[Violation]:
    kind, _, name = identity
    first = report.places.setdefault(identity, place)
    if name and first != place:
        message = f"{kind} {name} is also defined at {first}, and the one applied last replaces the other."
        yield Violation("YAML-03", "metadata.name", message, "Rename or remove one of them.", Severity.WARNING)


def _in_file(violation: Violation, file: str, line: int, runtime: str) -> FileViolation:
    return FileViolation(
        violation.rule,
        violation.path,
        violation.message,
        violation.fix,
        violation.severity,
        file=file,
        line=line,
        runtime=runtime,
    )
