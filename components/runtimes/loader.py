"""Loads runtimes from YAML files, and finds the TrainJobs in them. Each violation has its file and line."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from errno import ENOENT
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..k8s.invalid import InvalidRuntimeError
from ..k8s.regular_file import MAX_MANIFEST_FILE, check_length, read_regular_file
from ..validation.paths import format_path
from ..validation.printable import printable
from ..validation.report import FileViolation, Report, Skipped, in_file, sort_by_line
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


class FoundDocument(NamedTuple):
    """A manifest and its file."""

    file: str
    document: "Document"

    @property
    def name(self) -> str:
        """Its name. Empty if it has none."""
        return _metadata(self.document, "name")


@dataclass
class RuntimesReport(Report):
    """The runtimes, violations and skipped documents of files."""

    runtimes: list[ClusterTrainingRuntime | TrainingRuntime] = field(default_factory=list)
    """The runtimes without errors."""

    places: dict[tuple[str, str, str], str] = field(default_factory=dict)
    """Where each runtime and TrainJob was defined first, by kind, namespace and name."""

    files: list[str] = field(default_factory=list)
    """The files that were read, in order."""

    train_jobs: list[FoundDocument] = field(default_factory=list)
    """The TrainJobs, which are not checked yet."""


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


def load_report(path: str | Path, adopt: bool = False) -> RuntimesReport:
    """Like `load_runtimes`, but return a report instead of raising InvalidRuntimeError. Raises OSError."""
    # Only the linter reads the standard input: here `-` is a file of that name.
    return read_files([Path(path).absolute() if Path(path) == STDIN else Path(path)], adopt)


_TEMPLATE = "Templates cannot be checked: render them first."

STDIN = Path("-")
"""Represents standard input, to which `kubectl get ... -o yaml` can be piped."""


def read_files(paths: Iterable[Path], adopt: bool = False, skip_templates: bool = False) -> RuntimesReport:
    """A report on the runtimes in files and folders. Raises OSError as `load_runtimes` does.

    `skip_templates`: a template of a Helm chart, and a file with `{{` that is not valid YAML, is skipped, not an error.
    """
    report = RuntimesReport()
    for path in paths:
        for file in _files(path):
            report.files.append(str(file))
            _read(file, adopt, skip_templates, report)
    return report


def _files(path: Path) -> Iterator[Path]:
    if path != STDIN and path.is_dir():
        files = sorted(file for pattern in ("*.yaml", "*.yml") for file in path.rglob(pattern) if file.is_file())
        if not files:  # a folder that was named wrong must not pass for one in which all is right
            raise FileNotFoundError(ENOENT, "It contains no .yaml or .yml file", str(path))
        yield from files
    else:
        yield path


def _read(file: Path, adopt: bool, skip_templates: bool, report: RuntimesReport) -> None:
    from ..k8s.yaml_documents import YamlError, read_documents  # only who reads YAML needs PyYAML

    try:
        content = _content(file)
        is_template = b"{{" in content
        if skip_templates and is_template and _is_in_chart(file):
            report.skipped.append(Skipped(str(file), 1, f"a template of a Helm chart. {_TEMPLATE}"))
            return
        for document in read_documents(content.decode()):
            for item in document.items():
                _read_item(str(file), item, adopt, report)
    except YamlError as error:
        if skip_templates and is_template:
            report.skipped.append(Skipped(str(file), error.line, f"not valid YAML, but a template. {_TEMPLATE}"))
            return
        fix = f"{error.fix} {_TEMPLATE}" if is_template else error.fix
        report.violations.append(_unreadable(file, error.line, str(error), fix))
    except UnicodeDecodeError as error:
        message = f"The file is not UTF-8 text: {error.reason} at byte {error.start}."
        report.violations.append(_unreadable(file, 1, message, "Save it as UTF-8."))


def _is_in_chart(file: Path) -> bool:
    """Whether Helm renders the file: it is below `templates`, beside which is a Chart.yaml."""
    return any(folder.name == "templates" and (folder.parent / "Chart.yaml").is_file() for folder in file.parents)


def _unreadable(file: Path, line: int, message: str, fix: str) -> FileViolation:
    return in_file(Violation("YAML-01", "", message, fix), str(file), line, "")


def _content(file: Path) -> bytes:
    if file != STDIN:
        return read_regular_file(file, MAX_MANIFEST_FILE)
    content = sys.stdin.buffer.read(MAX_MANIFEST_FILE + 1)
    check_length(content, MAX_MANIFEST_FILE, str(file))
    return content


def _read_item(file: str, document: "Document", adopt: bool, report: RuntimesReport) -> None:
    content = document.content if isinstance(document.content, dict) else {}
    kind, group = str(content.get("kind")), str(content.get("apiVersion"))
    if kind == "TrainJob" or _looks_like_train_job(content):
        report.train_jobs.append(FoundDocument(file, document))
        return
    model = _KINDS.get(kind)
    if model is None and (group.startswith(_GROUP) or _looks_like_runtime(content)):
        model = ClusterTrainingRuntime
    if model is None:
        what = kind if "kind" in content else "a document without kind"
        report.skipped.append(Skipped(file, document.line, f"{what} is not a training runtime"))
        return
    found: tuple[Violation, ...]
    runtime: ClusterTrainingRuntime | TrainingRuntime | None = None
    try:
        runtime = model.from_manifest(content, adopt)
    except InvalidRuntimeError as error:
        found = error.violations
    else:
        found = runtime.check()
    name, namespace = _metadata(document, "name"), _metadata(document, "namespace")
    own = document_violations(FoundDocument(file, document), report)
    if runtime and not any(document.duplicate_keys()):
        report.runtimes.append(runtime)
        told = {"file": file, "kind": kind, "name": name} | ({"namespace": namespace} if namespace else {})
        report.valid.append({key: printable(value) for key, value in told.items()})
    located = [in_file(each, file, document.line_of(each.path), name) for each in found]
    report.violations += sort_by_line([*located, *own])


def document_violations(found: FoundDocument, report: RuntimesReport) -> list[FileViolation]:
    """What is wrong in a document whatever its kind: secrets, keys that are there twice, a name that is taken in the
    report."""
    file, document = found
    identity = str(document.content.get("kind")), _metadata(document, "namespace"), found.name
    violations = [
        *map(_token, find_tokens(document.content)),
        *_check_duplicate(report, identity, f"{file}:{document.line}"),
    ]
    located = [in_file(each, file, document.line_of(each.path), found.name) for each in violations]
    for line, key in document.duplicate_keys():
        message = f"{key} is a duplicate key, and only the last value applies."
        located.append(in_file(Violation("YAML-02", key, message, "Keep one."), file, line, found.name))
    return located


def _metadata(document: "Document", key: str) -> str:
    metadata = document.content.get("metadata")
    return str(metadata.get(key, "")) if isinstance(metadata, dict) else ""


def _token(found: Token) -> Violation:
    message = f"This looks like {found.kind}, which everyone who sees the file can use."
    fix = "Revoke it, remove it from the file and its history, and refer to a Secret: `valueFrom.secretKeyRef`."
    return Violation("YAML-04", format_path(found.loc), message, fix, Severity.WARNING)


def _looks_like_runtime(content: Mapping[str, Any]) -> bool:
    spec = content.get("spec")
    return "kind" not in content and isinstance(spec, dict) and "mlPolicy" in spec


def _looks_like_train_job(content: Mapping[str, Any]) -> bool:
    """Whether it has what only a TrainJob has, but another kind or none."""
    if "kind" in content and (str(content["kind"]) in _KINDS or not str(content.get("apiVersion")).startswith(_GROUP)):
        return False
    spec = content.get("spec")
    return isinstance(spec, dict) and "runtimeRef" in spec


def _check_duplicate(report: RuntimesReport, identity: tuple[str, str, str], place: str) -> Iterator[Violation]:
    kind, _, name = identity
    first = report.places.setdefault(identity, place)
    if name and first != place:
        message = f"{kind} {name} is also defined at {first}, and the one applied last replaces the other."
        yield Violation("YAML-03", "metadata.name", message, "Rename or remove one of them.", Severity.WARNING)
