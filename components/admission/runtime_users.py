"""Unfinished TrainJobs that name a runtime: before it is removed they are looked for, and named."""

from collections.abc import Mapping
from typing import Any

from ..cluster.client import ClusterClient, ClusterReadError
from ..cluster.hook_error import PreflightError
from ..cluster.objects import ObjectRef, bullet_list, collection_path, pluralize
from ..operators.uninstall_checks import is_finished
from ..validation.violation import Violation


def names_runtime(job: Mapping[str, Any], runtime: ObjectRef) -> bool:
    """Whether a TrainJob of the right namespace names a runtime."""
    reference = job["spec"]["runtimeRef"]
    # The API server's default of the kind, too.
    return (reference.get("kind", "ClusterTrainingRuntime"), reference["name"]) == (runtime.kind, runtime.name)


def require_unused(runtime: ObjectRef, access: ClusterClient) -> None:
    """Returns when no unfinished TrainJob names a runtime. Raises PreflightError.

    Trainer before 2.3 makes the JobSet of a suspended one from the runtime when it resumes; from 2.3 on a TrainJob has
    a copy, but one that is created again has not.
    """
    path = f"runtimes.{runtime.name}"
    try:
        jobs = access.items(collection_path("TrainJob", runtime.namespace))
    except ClusterReadError as error:
        message = f"{runtime} was not deleted, since the TrainJobs that use it are unknown: {error}."
        fix = "Make the API server answer, or ask for the right to list TrainJobs, and run this again."
        raise PreflightError([Violation("OPR-07", path, message, fix)]) from error
    users = [ObjectRef.of(job, "TrainJob") for job in jobs if names_runtime(job, runtime) and not is_finished(job)]
    if users:
        message = (
            f"{pluralize(users, 'unfinished TrainJob')} would lose the runtime {runtime.name}:{bullet_list(users)}\n "
        )
        fix = "Wait for them, delete them, or write `trainer: {interruptTrainJobs: true}` to go on."
        raise PreflightError([Violation("OPR-14", path, message, fix)])
