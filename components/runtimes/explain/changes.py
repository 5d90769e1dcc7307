"""What later changes of the TrainJob and the runtime do to a TrainJob.

Source: plugins/jobset/jobset.go, plugins/mpi/mpi.go, pkg/runtime/core and pkg/controller of Trainer v2.0.0, v2.2.0 and
v2.3.0; the CRDs of TrainJobs.
"""

from collections.abc import Iterator

from .explanation import Change
from .releases import Release


def later_changes(release: Release, mpi: bool) -> Iterator[Change]:
    """What changes do. `mpi`: whether there is a hostfile."""
    fields = ", ".join(field.removeprefix("spec.") for field in release.immutable)
    yield Change(f"TrainJob: {fields}", "The API server rejects the change.")
    patched = f"TrainJob: {release.patches}"
    if release.trainer == "2.3.0":
        effect = "Possible while the TrainJob is suspended, or in the change that suspends or resumes it."
    else:
        effect = "Possible while the TrainJob is suspended."
    yield Change(patched, f"{effect} No pod may be active.")
    yield Change(
        "TrainJob: suspend",
        "true deletes the pods and keeps the Jobs; false starts the pods again, with the changes made meanwhile in"
        " labels, annotations, nodeSelector, tolerations and schedulingGates.",
    )
    if "spec.trainer" not in release.immutable:
        yield Change("TrainJob: trainer, initializer", "No effect on a JobSet that is not suspended.")
    yield from _runtime(release, mpi)


def _runtime(release: Release, mpi: bool) -> Iterator[Change]:
    if release.runtime_snapshot:
        yield Change(
            "Runtime: any field",
            "No effect on this TrainJob: the ConfigMap with the suffix -runtime-snapshot keeps the runtime as it was.",
        )
    else:
        yield Change(
            "Runtime: any field",
            "No effect while the JobSet is not suspended. A suspended TrainJob takes the new runtime; JobSet rejects"
            " changes of the jobs but labels, annotations, nodeSelector, tolerations and schedulingGates.",
        )
        if mpi:
            yield Change(
                "Runtime: mlPolicy.mpi, jobs",
                "The hostfile changes at once, also of a TrainJob that runs, while its pods stay as they are.",
            )
    deletion = (
        "Waits until no TrainJob refers to the runtime." if release.runtime_finalizer else "Possible at any time."
    )
    yield Change("Runtime: deletion", deletion)
