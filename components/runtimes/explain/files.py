"""The runtime and the TrainJob of YAML files."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ...k8s.invalid import InvalidRuntimeError
from ...k8s.regular_file import MAX_MANIFEST_FILE, read_regular_file
from ...validation.near import did_you_mean
from ...validation.report import in_file
from ...validation.violation import Violation
from ..loader import load_runtimes
from ..runtime import ClusterTrainingRuntime, TrainingRuntime
from ..train_job import TrainJob

if TYPE_CHECKING:
    from ...k8s.yaml_documents import Document

AnyRuntime = ClusterTrainingRuntime | TrainingRuntime


class NoPairError(ValueError):
    """The files have no runtime, or no TrainJob, to explain."""


def load_pair(runtime_file: Path, train_job_file: Path | None) -> tuple[AnyRuntime, TrainJob | None]:
    """The TrainJob of a file, and the runtime of another, or of the same, that it refers to. Without a TrainJob, the
    runtime file must have one runtime alone.

    Raises InvalidRuntimeError with the errors of both, NoPairError, and OSError.
    """
    train_job = load_train_job(train_job_file) if train_job_file else None
    runtimes = load_runtimes(runtime_file)
    names = {runtime.metadata.name or "": runtime for runtime in runtimes}
    if not names:
        raise NoPairError(f"{runtime_file}: The file has no training runtime. Name the file of a runtime.")
    if train_job is not None:
        wanted = train_job.spec.runtime_ref.name
        if wanted not in names:
            fix = did_you_mean(wanted, names) or f"It has {', '.join(names)}."
            raise NoPairError(f"{runtime_file}: There is no runtime {wanted}, which the TrainJob refers to. {fix}")
        return names[wanted], train_job
    if len(runtimes) > 1:
        raise NoPairError(f"{runtime_file}: The file has {len(runtimes)} runtimes. Name a TrainJob that refers to one.")
    return runtimes[0], None


def load_train_job(file: Path) -> TrainJob:
    """The TrainJob of a YAML file. Raises InvalidRuntimeError with its errors, each with its line; NoPairError; and
    OSError."""
    found = [*_train_jobs(file)]
    if len(found) != 1:
        what = f"{len(found)} TrainJobs" if found else "no TrainJob"
        raise NoPairError(f"{file}: The file has {what}. Name a file with one.")
    document = found[0]
    metadata = document.content.get("metadata")
    name = str(metadata.get("name", "")) if isinstance(metadata, dict) else ""
    try:
        return TrainJob.from_manifest(document.content)
    except InvalidRuntimeError as error:
        located = [in_file(each, str(file), document.line_of(each.path), name) for each in error.violations]
        raise InvalidRuntimeError(located, str(file)) from None


def _train_jobs(file: Path) -> Iterator["Document"]:
    from ...k8s.yaml_documents import YamlError, read_documents  # only who reads YAML needs PyYAML

    try:
        for document in read_documents(read_regular_file(file, MAX_MANIFEST_FILE).decode()):
            for item in document.items():
                if isinstance(item.content, dict) and item.content.get("kind") == "TrainJob":
                    yield item
    except YamlError as error:
        violation = Violation("YAML-01", "", str(error), error.fix)
        raise InvalidRuntimeError([in_file(violation, str(file), error.line, "")], str(file)) from None
    except UnicodeDecodeError as error:
        message = f"The file is not UTF-8 text: {error.reason} at byte {error.start}."
        violation = Violation("YAML-01", "", message, "Save it as UTF-8.")
        raise InvalidRuntimeError([in_file(violation, str(file), 1, "")], str(file)) from None
