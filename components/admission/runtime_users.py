"""Unfinished TrainJobs that name a runtime: before it is removed they are looked for, and named."""

from collections.abc import Mapping
from typing import Any

from ..cluster.client import ClusterAccess, NoAnswer
from ..cluster.hook_error import Veto
from ..cluster.objects import ApiObject, collection_path, counted, listed
from ..operators.uninstall_checks import is_finished
from ..validation.violation import Violation

IN_USE, UNSEEN = "OPR-14", "OPR-07"


def names_runtime(job: Mapping[str, Any], runtime: ApiObject) -> bool:
    """Whether a TrainJob of the right namespace names a runtime."""
    reference = job["spec"]["runtimeRef"]
    # The API server's default of the kind, too.
    return (reference.get("kind", "ClusterTrainingRuntime"), reference["name"]) == (runtime.kind, runtime.name)


def require_unused(runtime: ApiObject, access: ClusterAccess) -> None:
    """Returns when no unfinished TrainJob names a runtime. Raises Veto.

    Trainer before 2.3 makes the JobSet of a suspended one from the runtime when it resumes; from 2.3 on a TrainJob has
    a copy, but one that is created again has not.
    """
    path = f"runtimes.{runtime.name}"
    try:
        jobs = access.items(collection_path("TrainJob", runtime.namespace))
    except NoAnswer as error:
        message = f"{runtime} was not deleted, since the TrainJobs that use it are unknown: {error}."
        fix = "Make the API server answer, or ask for the right to list TrainJobs, and run this again."
        raise Veto([Violation(UNSEEN, path, message, fix)]) from error
    users = [ApiObject.of(job, "TrainJob") for job in jobs if names_runtime(job, runtime) and not is_finished(job)]
    if users:
        message = f"{counted(users, 'unfinished TrainJob')} would lose the runtime {runtime.name}:{listed(users)}\n "
        fix = "Wait for them, delete them, or write `trainer: {interruptTrainJobs: true}` to go on."
        raise Veto([Violation(IN_USE, path, message, fix)])
