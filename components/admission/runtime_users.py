"""Finds the unfinished TrainJobs that use a runtime before it is deleted."""

from collections.abc import Mapping
from typing import Any

from ..cluster.client import ClusterClient, ClusterReadError
from ..cluster.hook_error import PreflightError
from ..cluster.objects import ObjectRef, bullet_list, collection_path, pluralize
from ..operators.uninstall_checks import is_finished
from ..validation.violation import Violation


def names_runtime(job: Mapping[str, Any], runtime: ObjectRef) -> bool:
    """Whether a TrainJob uses a runtime. Its namespace is not compared."""
    # The CRD does not require a spec, so a TrainJob that no webhook validated may have none (Trainer 2.0.0 to 2.3.0).
    reference = (job.get("spec") or {}).get("runtimeRef") or {}
    # With the API server's default for the kind.
    return (reference.get("kind", "ClusterTrainingRuntime"), reference.get("name")) == (runtime.kind, runtime.name)


def require_unused(runtime: ObjectRef, access: ClusterClient) -> None:
    """Raise PreflightError if an unfinished TrainJob uses a runtime.

    Trainer before 2.3 creates the JobSet of a suspended TrainJob from the runtime when it resumes. Since 2.3 a TrainJob
    has a copy of its runtime, but a TrainJob that is created again has none.
    """
    path = f"runtimes.{runtime.name}"
    try:
        jobs = access.list_objects(collection_path("TrainJob", runtime.namespace))
    except ClusterReadError as error:
        message = f"{runtime} was not deleted, because its TrainJobs could not be listed: {error}."
        fix = "Fix the connection or request permission to list TrainJobs, and run this again."
        raise PreflightError([Violation("OPR-07", path, message, fix)]) from error
    users = [ObjectRef.of(job, "TrainJob") for job in jobs if names_runtime(job, runtime) and not is_finished(job)]
    if users:
        message = f"{pluralize(users, 'unfinished TrainJob')} would lose runtime {runtime.name}:{bullet_list(users)}\n "
        fix = "Wait for them, delete them, or set `trainer: {interruptTrainJobs: true}` to delete it anyway."
        raise PreflightError([Violation("OPR-14", path, message, fix)])
